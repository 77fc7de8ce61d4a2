// Composition root of the session process: JSON-RPC over standard streams, logs to standard error.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createMessageConnection, ResponseError, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { z } from 'zod';
import type { KernelParser } from '../kernel/parser.js';
import { createParser } from '../kernel/parser.js';
import { createConnect } from '../runner/connect.js';
import { SessionHost } from './host.js';
import { resumeParams, SESSION_METHODS, startParams } from './protocol.js';
import type { SessionPlace } from './protocol.js';
import { forget, redactor, SECRET_VARIABLES } from './secrets.js';
import { throttled } from './throttle.js';

/** Set by the bundler from package.json. */
declare const KERNELSEEK_VERSION: string;

/** JSON-RPC's code for a request that failed. */
const FAILED = -32603;
/** What is still open when the session is over (an idle connection to the model) may hold the process this long, ms. */
const LINGER = 2000;

// Whatever is started from here, a runner or git, must not inherit a key; ours comes through the pipe.
for (const name of SECRET_VARIABLES) delete process.env[name];

let redact = redactor([]);
const log = (line: string): void => void process.stderr.write(`${redact(line)}\n`);
const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);

let parser: Promise<KernelParser> | undefined;
async function loadParser(): Promise<KernelParser> {
  const grammar = (file: string): Promise<Uint8Array> => readFile(path.join(__dirname, 'grammar', file));
  const [runtimeWasm, grammarWasm] = await Promise.all([
    grammar('web-tree-sitter.wasm'),
    grammar('tree-sitter-cuda.wasm'),
  ]);
  return createParser({ runtimeWasm, grammarWasm });
}

const host = new SessionHost({
  version: KERNELSEEK_VERSION,
  connect: createConnect({ version: KERNELSEEK_VERSION, runnerBundle: path.join(__dirname, 'runner.js') }),
  parser: () => (parser ??= loadParser()),
  onEvent: (event) => notify(SESSION_METHODS.event, event),
  onProgress: throttled((progress) => notify(SESSION_METHODS.progress, progress)),
  log,
  redact: (text) => redact(text),
});

function notify(method: string, params: unknown): void {
  // Nobody may be listening any more (a closed connection throws at once); the trace has it.
  void (async () => connection.sendNotification(method, params))().catch(() => undefined);
}

/** Checks the parameters, learns the secrets in them, and runs; errors go back as text without secrets. */
function begins<T extends typeof startParams | typeof resumeParams>(
  schema: T,
  begin: (params: z.output<T>) => Promise<SessionPlace>,
): (params: unknown) => Promise<SessionPlace> {
  return async (params) => {
    try {
      const parsed = schema.parse(params) as z.output<T>;
      const secrets = [parsed.model.key, parsed.runner.token];
      redact = redactor(secrets);
      forget(process.env, secrets);
      const place = await begin(parsed);
      void host.done?.then(
        () => end(0),
        (error: unknown) => {
          log(`the session broke off: ${messageOf(error)}`);
          end(1);
        },
      );
      return place;
    } catch (error) {
      throw new ResponseError(FAILED, redact(messageOf(error)));
    }
  };
}

connection.onRequest(
  SESSION_METHODS.start,
  begins(startParams, (params) => host.start(params)),
);
connection.onRequest(
  SESSION_METHODS.resume,
  begins(resumeParams, (params) => host.resume(params)),
);
connection.onRequest(SESSION_METHODS.stop, async () => {
  await host.stop();
  return null;
});
connection.onError(() => undefined);
// The one who started us is gone or wants an end.
connection.onClose(stopAndEnd);
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
process.on('SIGTERM', stopAndEnd);
connection.listen();

function stopAndEnd(): void {
  host.stop().then(
    () => end(0),
    () => end(1),
  );
}

/** Lets answers that are on their way leave, then ends. */
function end(code: number): void {
  process.exitCode = code;
  process.stdin.destroy();
  setTimeout(() => process.exit(code), LINGER).unref();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
