// Speaks lines with one child process: a request, then its answer, with a time limit. The other side may be hostile.
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { killGroup, LONGEST_TIMER, onceGone } from '../targets/run-tool.js';

/** The child ended, or was ended, before it answered. */
export class ChannelClosed extends Error {
  constructor(
    readonly why: 'exit' | 'timeout' | 'flood',
    readonly code: number | null,
    readonly killedBy: string | null,
  ) {
    super(why === 'exit' ? `the process ended (${killedBy ?? `exit code ${code}`})` : `the process was ended (${why})`);
    this.name = 'ChannelClosed';
  }
}

/** Characters; an answer longer than this is an attack or a fault, not an answer. */
const longestAnswer = 1 << 20;

interface Waiting {
  lines: string[];
  /** Characters in them. */
  length: number;
  isLast: (line: string) => boolean;
  resolve: (lines: string[]) => void;
  reject: (error: ChannelClosed) => void;
  timer: NodeJS.Timeout;
}

export class LineChannel {
  private pending = '';
  private waiting: Waiting | undefined;
  private closed: ChannelClosed | undefined;
  private ended: 'timeout' | 'flood' | undefined;
  /** Lines that nobody had asked for: only a candidate that found the channel can have written them. */
  unsolicited = 0;

  constructor(
    private readonly child: ChildProcess,
    private readonly input: Writable,
    output: Readable,
  ) {
    output.setEncoding('utf8');
    output.on('data', (text: string) => this.read(text));
    // A child that dies while we write is reported by `close`, not by an exception.
    for (const stream of [input, output]) stream.on('error', () => undefined);
    child.once('error', () => this.close(null, null));
    onceGone(child, (code, signal) => this.close(code, signal));
  }

  /** Sends `request` and collects lines up to the first for which `isLast` holds. */
  ask(request: string | undefined, isLast: (line: string) => boolean, timeoutMs: number): Promise<string[]> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(this.closed);
      if (this.waiting) throw new Error('a request is already waiting for its answer');
      const timer = setTimeout(() => this.end('timeout'), Math.min(timeoutMs, LONGEST_TIMER));
      this.waiting = { lines: [], length: 0, isLast, resolve, reject, timer };
      if (request !== undefined) this.input.write(request + '\n');
    });
  }

  private read(text: string): void {
    this.pending += text;
    for (let at = this.pending.indexOf('\n'); at >= 0; at = this.pending.indexOf('\n')) {
      const line = this.pending.slice(0, at);
      this.pending = this.pending.slice(at + 1);
      const { waiting } = this;
      if (!waiting) {
        this.unsolicited++;
        continue;
      }
      waiting.lines.push(line);
      waiting.length += line.length;
      if (waiting.isLast(line)) {
        this.waiting = undefined;
        clearTimeout(waiting.timer);
        waiting.resolve(waiting.lines);
      } else if (waiting.lines.length > 10_000 || waiting.length > longestAnswer) {
        waiting.lines.length = 0;
        this.end('flood');
      }
    }
    if (this.pending.length > longestAnswer) {
      this.pending = '';
      this.end('flood');
    }
  }

  private end(why: 'timeout' | 'flood'): void {
    this.ended = why;
    killGroup(this.child.pid);
  }

  private close(code: number | null, signal: string | null): void {
    this.closed ??= new ChannelClosed(this.ended ?? 'exit', code, signal);
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) {
      clearTimeout(waiting.timer);
      waiting.reject(this.closed);
    }
  }
}
