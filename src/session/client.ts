// Starts the session process and speaks with it; the terminal and the editor both drive sessions through this.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import type { Disposable } from 'vscode-jsonrpc/node';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { SessionLink } from './link.js';
import type { ResumeParams, SessionPlace, StartParams } from './protocol.js';
import { SESSION_METHODS, sessionPlace } from './protocol.js';
import { withoutSecrets } from './secrets.js';

export interface SessionProcessOptions {
  /** The session's bundle, dist/session.js. */
  bundle: string;
  /** Its log, line by line. */
  log?: (line: string) => void;
  /** Environment to start from; keys are taken out of it, they travel through the pipe. Default: our own. */
  env?: NodeJS.ProcessEnv;
}

/** How the process ended: `code` 0 after a session that came to its end. */
export interface SessionExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** What to tell a person; absent after a clean end. */
  message?: string;
}

class SessionProcessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SessionProcessError';
  }
}

const STDERR_TAIL = 4096;
/** How long an answer that came with the end of the process may take to be handed on, milliseconds. */
const LAST_WORDS_MS = 250;

/** One session process: one session in its life. */
export class SessionClient extends SessionLink implements Disposable {
  private readonly child: ChildProcess;
  private tail = '';

  /** Resolves when the process is gone; never rejects. */
  readonly exited: Promise<SessionExit>;

  constructor(options: SessionProcessOptions) {
    const env = withoutSecrets(options.env ?? process.env);
    // Inside Electron `process.execPath` is the editor, which only this turns into a plain Node.
    if (process.versions['electron'] !== undefined) env['ELECTRON_RUN_AS_NODE'] = '1';
    const child = spawn(process.execPath, [options.bundle], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env,
      // Ctrl-C goes to the whole group of a terminal; the session, its runner and its compilers are told by us instead.
      detached: process.platform !== 'win32',
    });
    super(
      createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin)),
      options.log,
    );
    this.child = child;
    this.followStderr(options.log);
    this.exited = new Promise((resolve) => {
      child.once('error', (error) => {
        resolve({ code: null, signal: null, message: `the session process cannot be started: ${error.message}` });
      });
      child.once('close', (code, signal) => resolve({ code, signal, ...this.describe(code, signal) }));
    });
    // A dead process shows in `exited`; a broken pipe alone must not take us down.
    child.stdin.on('error', () => undefined);
  }

  /**
   * Starts a session; resolves once its trace exists, events follow through `onEvent`.
   * @throws SessionProcessError with the reason the process gave, or with how it died
   */
  start(params: StartParams): Promise<SessionPlace> {
    return this.request(SESSION_METHODS.start, params, (result) => sessionPlace.parse(result));
  }

  /** Goes on with a session from its trace. `onEvent` tells the events from now on; read the trace for those before. */
  resume(params: ResumeParams): Promise<SessionPlace> {
    return this.request(SESSION_METHODS.resume, params, (result) => sessionPlace.parse(result));
  }

  /** Stops; resolves once the best so far is in the trace. Does nothing when the process is gone already. */
  override async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    await super.stop().catch((error: unknown) => {
      if (this.child.exitCode !== 0) throw error;
    });
  }

  /** Closes the pipe: the process stops as on `stop` and ends; resolves when it is gone. */
  close(): Promise<SessionExit> {
    this.child.stdin?.end();
    return this.exited;
  }

  /** Kills the process at once; the session can be resumed. */
  kill(): Promise<SessionExit> {
    this.child.kill('SIGKILL');
    return this.exited;
  }

  /**
   * Lets the session go on without us: it can be attached to from now on, and this process may end.
   * @throws SessionProcessError when nobody could attach to it
   */
  async detach(): Promise<void> {
    await this.request(SESSION_METHODS.detach, undefined, () => undefined);
    this.connection.dispose();
    for (const stream of this.child.stdio) stream?.destroy();
    this.child.unref();
  }

  dispose(): void {
    this.child.stdin?.end();
  }

  protected override async request<T>(method: string, params: unknown, parse: (result: unknown) => T): Promise<T> {
    const died = this.exited.then(async (exit): Promise<never> => {
      // Its last words are read by then, but the connection hands messages on one at a time: an answer among them comes first.
      await delay(LAST_WORDS_MS);
      throw new SessionProcessError(exit.message ?? 'the session process ended');
    });
    try {
      // Whichever comes second must not count as unhandled.
      died.catch(() => undefined);
      const answer = super.request(method, params, parse);
      answer.catch(() => undefined);
      return await Promise.race([answer, died]);
    } catch (error) {
      if (error instanceof SessionProcessError) throw error;
      throw new SessionProcessError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  private followStderr(log: ((line: string) => void) | undefined): void {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    this.child.stderr?.on('data', (chunk: Buffer) => {
      const text = decoder.write(chunk);
      this.tail = (this.tail + text).slice(-STDERR_TAIL);
      if (!log) return;
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) log(line);
    });
  }

  private describe(code: number | null, signal: NodeJS.Signals | null): { message?: string } {
    if (code === 0) return {};
    const how = signal === null ? `ended with code ${code ?? '?'}` : `was ended by ${signal}`;
    const tail = this.tail.trim();
    return { message: `the session process ${how}` + (tail === '' ? '' : `; it said last:\n${tail}`) };
  }
}
