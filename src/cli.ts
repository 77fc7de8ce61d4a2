// Composition root for the terminal: `kernelseek`.
import { Command } from 'commander';
import { registerBench } from './cli/bench.js';
import { registerBundle } from './cli/bundle.js';
import { processContext } from './cli/context.js';
import { registerDistill } from './cli/distill.js';
import { registerEvaluate } from './cli/evaluate.js';
import { registerAttach } from './cli/attach.js';
import { EXIT, codeOfError, messageOf } from './cli/exit.js';
import { registerExport } from './cli/export.js';
import { registerInit } from './cli/init.js';
import { registerProfile } from './cli/profile.js';
import { registerOptimize } from './cli/optimize.js';
import { registerRepertoire } from './cli/repertoire.js';
import { registerReplay } from './cli/replay.js';
import { registerReport } from './cli/report.js';
import { registerSessions } from './cli/sessions.js';
import { plainText } from './report/plain.js';

/** Set by the bundler from package.json. */
declare const KERNELSEEK_VERSION: string;

/** In the order of the help. */
const COMMANDS = [
  registerInit,
  registerEvaluate,
  registerProfile,
  registerOptimize,
  registerAttach,
  registerSessions,
  registerReplay,
  registerReport,
  registerRepertoire,
  registerBench,
  registerExport,
  registerBundle,
  registerDistill,
];

async function main(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', quietWhenClosed);
  const context = processContext(KERNELSEEK_VERSION, __dirname);
  const program = new Command('kernelseek')
    .description('Makes existing CUDA kernels faster, under a verdict one can trust.')
    .version(context.version)
    .showHelpAfterError('(kernelseek --help lists commands, kernelseek COMMAND --help its options)')
    .exitOverride();
  for (const register of COMMANDS) register(program, context);
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** `kernelseek … | head` closes the pipe early: no reason to complain. */
function quietWhenClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Says what went wrong where commander has not done so, and gives the exit code. */
function report(error: unknown): number {
  const fromParser = error instanceof Error && 'exitCode' in error && 'code' in error;
  if (fromParser) return error.exitCode === 0 ? EXIT.ok : EXIT.task;
  process.stderr.write(`kernelseek: ${plainText(messageOf(error))}\n`);
  return codeOfError(error);
}

void main();
