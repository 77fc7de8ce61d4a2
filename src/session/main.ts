// Composition root of the session process: JSON-RPC over standard streams and a socket, logs to standard error.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { z } from 'zod';
import type { KernelParser } from '../kernel/parser.js';
import { createParser } from '../kernel/parser.js';
import { createConnect } from '../runner/connect.js';
import { Clients } from './clients.js';
import { SessionHost } from './host.js';
import { resumeParams, SESSION_METHODS, startParams } from './protocol.js';
import type { SessionPlace } from './protocol.js';
import { forget, redactor, SECRET_VARIABLES } from './secrets.js';
import { serveSocket, type ServedSocket } from './socket.js';
import { throttled } from './throttle.js';

/** Set by the bundler from package.json. */
declare const KERNELSEEK_VERSION: string;

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

const host: SessionHost = new SessionHost({
  version: KERNELSEEK_VERSION,
  connect: createConnect({
    version: KERNELSEEK_VERSION,
    runnerBundle: path.join(__dirname, 'runner.js'),
    parser: () => (parser ??= loadParser()),
  }),
  parser: () => (parser ??= loadParser()),
  onEvent: (event) => clients.event(event),
  onProgress: throttled((progress) => clients.progress(progress)),
  onQuestion: (question) => clients.question(question),
  log,
  redact: (text) => redact(text),
});
let place: SessionPlace | undefined;
let socket: ServedSocket | undefined;
let detached = false;
const clients = new Clients({
  seat: () => host.seat,
  place: () => place,
  stop: () => host.stop(),
  detach: () => {
    if (!socket) throw new Error('nobody could attach to this session: its socket could not be made');
    detached = true;
  },
  redact: (text) => redact(text),
});

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
      place = await begin(parsed);
      socket = await serve(place.folder);
      void host.done?.then(
        () => end(0),
        (error: unknown) => {
          log(`the session broke off: ${messageOf(error)}`);
          end(1);
        },
      );
      return place;
    } catch (error) {
      throw clients.failure(error);
    }
  };
}

/** Lets others attach; where that cannot be, the session goes on without. */
async function serve(folder: string): Promise<ServedSocket | undefined> {
  try {
    return await serveSocket(folder, (client) => {
      const attached = createMessageConnection(new StreamMessageReader(client), new StreamMessageWriter(client));
      client.on('error', () => undefined);
      clients.add(attached, false);
      attached.listen();
    });
  } catch (error) {
    log(`nobody can attach to this session: ${messageOf(error)}`);
    return undefined;
  }
}

clients.add(connection, true);
connection.onRequest(
  SESSION_METHODS.start,
  begins(startParams, (params) => host.start(params)),
);
connection.onRequest(
  SESSION_METHODS.resume,
  begins(resumeParams, (params) => host.resume(params)),
);
// The one who started us is gone or wants an end.
connection.onClose(() => {
  if (!detached) stopAndEnd();
});
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
process.on('SIGTERM', stopAndEnd);
// A terminal that closes takes its own client along; a session that is to end with it hears that from its pipe.
process.on('SIGHUP', () => undefined);
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
  void socket?.close();
  setTimeout(() => process.exit(code), LINGER).unref();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
