// Composition root of the runner: `kernelseek-runner`.
import path from 'node:path';
import { createEvaluator } from './evaluate/create.js';
import { logToStderr } from './log.js';
import { parseOptions } from './options.js';
import { run } from './runner.js';
import { VERSION } from './version.js';

/** A sentence for the person at the terminal. */
function inWords(error: unknown): string {
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') return `port ${port} is in use: choose another with --port, or end the runner that has it`;
  return message;
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv, VERSION, process.env);
  return run(options, (cacheFolder) =>
    createEvaluator({
      harnessFolder: path.join(__dirname, 'harness'),
      cacheFolder,
      environment: process.env,
      bundle: __filename,
    }),
  );
}

// One job's fault must not end the others': what nobody caught is told, and the runner stays up.
process.on('uncaughtException', (error) => logToStderr(`internal error: ${error.stack ?? error.message}`));
process.on('unhandledRejection', (reason) => logToStderr(`internal error: ${String(reason)}`));

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`kernelseek-runner: ${inWords(error)}\n`);
    process.exit(1);
  },
);
