// The local runner: a process of our own, started when first needed, ended with us.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Endpoint } from './dial.js';
import { RunnerError } from './types.js';

export interface LocalRunnerOptions {
  /** Absolute path of the runner's bundle, run by this very Node (or Electron as Node). */
  bundle: string;
  /** The runner's state folder; by default its own choice, so that builds are shared over sessions. */
  state?: string;
  log: (line: string) => void;
}

const READY_MS = 60_000;
/** The runner gives its jobs 10 s to stop; one that is still looking at its machine has none. */
const STOP_MS = 15_000;
const STOP_HANGING_MS = 1000;
/** Deaths in a row after which it is not started again; one that lived longer than this began a new row. */
const MOST_DEATHS = 3;
const LONG_LIFE_MS = 60_000;
/** Kept end of what it printed on stderr, characters. */
const LAST_WORDS = 2000;

const ready = z.object({ url: z.string(), tokenFile: z.string(), pid: z.number() });
/** The runner runs strangers' code: what is secret here stays here. */
const secret = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|^ANTHROPIC_/i;

function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !secret.test(name));
  return { ...Object.fromEntries(kept), ...(process.versions.electron ? { ELECTRON_RUN_AS_NODE: '1' } : {}) };
}

export class LocalRunner {
  private child: ChildProcessWithoutNullStreams | undefined;
  private starting: Promise<Endpoint> | undefined;
  private startedAt = 0;
  private deaths = 0;
  private lastWords = '';
  private isReady = false;
  private closed = false;

  constructor(private readonly options: LocalRunnerOptions) {}

  /**
   * Where it listens; starts it, also again after it died.
   * @throws RunnerError `local`, with the end of what it printed
   */
  endpoint(): Promise<Endpoint> {
    if (this.closed) return Promise.reject(new RunnerError('lost', 'The local runner was ended.'));
    if (this.deaths >= MOST_DEATHS) {
      return Promise.reject(this.error(`The local runner ended by itself ${this.deaths} times.`));
    }
    this.starting ??= this.start();
    return this.starting;
  }

  /**
   * Ends it: closing its standard input is the sign, killing it the last resort.
   * @param answers whether it still does; one that hangs is not given the time to stop its jobs
   */
  async close(answers = this.isReady): Promise<void> {
    this.closed = true;
    const child = this.child;
    if (!child) return;
    const exited = once(child, 'exit');
    child.stdin.end();
    const impatient = setTimeout(() => child.kill('SIGKILL'), answers ? STOP_MS : STOP_HANGING_MS);
    await exited;
    clearTimeout(impatient);
  }

  private async start(): Promise<Endpoint> {
    const { bundle, state } = this.options;
    const args = [bundle, '--host', '127.0.0.1', '--port', '0', '--with-parent', '--ready-json'];
    if (state !== undefined) args.push('--state', state);
    // A process group of its own: Ctrl-C in the terminal reaches us, and we end the runner when its job is told.
    const child = spawn(process.execPath, args, { env: environment(), stdio: 'pipe', detached: true });
    this.child = child;
    this.startedAt = performance.now();
    this.lastWords = '';
    this.isReady = false;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.lastWords = (this.lastWords + text).slice(-LAST_WORDS);
    });
    // Broken when the child dies first; its exit says all.
    child.stdin.on('error', () => undefined);
    const gone = new Promise<never>((_, reject) => {
      child.once('error', (error) => reject(this.error(`The local runner cannot be started: ${error.message}.`)));
      // `close` comes after `exit`, once all it printed has been read.
      child.once('close', (code, signal) => {
        reject(this.error(`The local runner ended (${signal ?? `status ${code}`}).`));
      });
    });
    gone.catch(() => this.died(child));
    return this.becomeReady(child, gone);
  }

  private async becomeReady(child: ChildProcessWithoutNullStreams, gone: Promise<never>): Promise<Endpoint> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(this.error(`The local runner was not ready within ${READY_MS / 1000} s.`));
        child.kill('SIGKILL');
      }, READY_MS);
    });
    try {
      const line = new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve));
      const said = ready.parse(JSON.parse(await Promise.race([line, gone, late])));
      const token = (await readFile(said.tokenFile, 'utf8')).trim();
      this.isReady = true;
      this.options.log(`started a local runner (process ${said.pid})`);
      return { url: said.url, token };
    } catch (error) {
      child.kill();
      if (error instanceof RunnerError) throw error;
      throw this.error(`The local runner did not start as expected: ${(error as Error).message}.`);
    } finally {
      clearTimeout(timer);
    }
  }

  private died(child: ChildProcessWithoutNullStreams): void {
    if (this.child !== child) return;
    this.child = undefined;
    this.starting = undefined;
    this.deaths = performance.now() - this.startedAt > LONG_LIFE_MS ? 1 : this.deaths + 1;
  }

  private error(message: string): RunnerError {
    const words = this.lastWords.trim();
    return new RunnerError('local', words === '' ? message : `${message} It last said:\n${words}`);
  }
}
