// Runs one tool (compiler, device query) in a process group of its own: cleared environment, bounded output, time limit.
import { spawn, type ChildProcess } from 'node:child_process';
import { lstat } from 'node:fs/promises';

export interface ToolRun {
  /** Absent when it was killed. */
  code?: number;
  signal?: string;
  timedOut: boolean;
  /** Standard output and error as they came, the tail of each at most `outputLimit` characters. */
  stdout: string;
  stderr: string;
  milliseconds: number;
}

export interface ToolOptions {
  cwd: string;
  env: Record<string, string>;
  signal: AbortSignal;
  timeoutMs: number;
  /** Characters kept per stream. */
  outputLimit?: number;
}

/** Kills a detached child with everything it started; a group that is already gone is fine. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

/** Milliseconds; a longer timer of Node would fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** How long what a child has written may still arrive after its end, milliseconds. */
const DRAIN_MS = 500;

/**
 * Calls `then` once the child has ended and what it wrote is read. Node's `close` alone may never come: a process that left
 * the group (setsid) and lives on holds the pipes open.
 */
export function onceGone(child: ChildProcess, then: (code: number | null, signal: string | null) => void): void {
  let timer: NodeJS.Timeout | undefined;
  child.once('exit', () => {
    timer = setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy();
    }, DRAIN_MS);
  });
  child.once('close', (code, signal) => {
    clearTimeout(timer);
    then(code, signal);
  });
}

/** Keeps the last `limit` characters of a stream: the rest of a megabyte of output is nobody's to read. */
export class Tail {
  private parts: string[] = [];
  private length = 0;
  private dropped = 0;

  constructor(private readonly limit: number) {}

  add(text: string): void {
    this.parts.push(text);
    this.length += text.length;
    while (this.length > this.limit && this.parts.length > 0) {
      const first = this.parts[0]!;
      const surplus = Math.min(first.length, this.length - this.limit);
      if (surplus === first.length) this.parts.shift();
      else this.parts[0] = first.slice(surplus);
      this.length -= surplus;
      this.dropped += surplus;
    }
  }

  text(): string {
    return (this.dropped > 0 ? `[${this.dropped} characters dropped]\n` : '') + this.parts.join('');
  }
}

/**
 * Runs `file` with `args`; never through a shell. Rejects only when the signal is aborted or the program cannot be started
 * (ENOENT and the like).
 */
export function runTool(file: string, args: string[], options: ToolOptions): Promise<ToolRun> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal));
    const started = performance.now();
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stdout = new Tail(options.outputLimit ?? 256 * 1024);
    const stderr = new Tail(options.outputLimit ?? 256 * 1024);
    child.stdout.setEncoding('utf8').on('data', (t: string) => stdout.add(t));
    child.stderr.setEncoding('utf8').on('data', (t: string) => stderr.add(t));
    let timedOut = false;
    const timer = setTimeout(
      () => {
        timedOut = true;
        killGroup(child.pid);
      },
      Math.min(options.timeoutMs, LONGEST_TIMER),
    );
    const abort = (): void => killGroup(child.pid);
    signal.addEventListener('abort', abort, { once: true });
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      then();
    };
    child.once('error', (error) => settle(() => reject(error)));
    onceGone(child, (code, killedBy) =>
      settle(() => {
        // A compiler that left processes behind leaves none after this.
        killGroup(child.pid);
        if (signal.aborted) return reject(abortReason(signal));
        resolve({
          code: code ?? undefined,
          signal: killedBy ?? undefined,
          timedOut,
          stdout: stdout.text(),
          stderr: stderr.text(),
          milliseconds: performance.now() - started,
        });
      }),
    );
  });
}

/**
 * Makes sure that what a tool left is a file of its own: a link would be followed with the runner's rights.
 * @throws Error when it is not
 */
export async function regularFile(file: string): Promise<void> {
  const { size, nlink } = await lstat(file).then((s) => (s.isFile() ? s : Promise.reject(new Error('not a file'))));
  if (size === 0 || nlink !== 1) throw new Error(`${file} is not what the compiler should have left`);
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('cancelled');
}
