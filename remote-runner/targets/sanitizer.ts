// What a target offers to look for races, bad addresses and their like in one call of a candidate, and the process that
// makes the call (harness/sanitized.cpp).
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Finding } from '../protocol.js';
import type { Command } from '../sandbox/sandbox.js';
import { killGroup, LONGEST_TIMER, onceGone, Tail } from './run-tool.js';

/** One call of one library, on inputs that lie in a segment already. */
export interface SanitizedCall {
  /** Built with `sanitized`; where the worker's user can read it. */
  library: string;
  /** The target and what it starts may write here. */
  folder: string;
  /**
   * What harness/sanitized.cpp reads, without the objects of strict mode.
   * @param library its path
   * @param poison whether outputs and workspaces get the segment's random contents; without, nothing is written to them
   */
  commands(library: string, poison: boolean): string;
  /** What starts a command as a worker is started; it sees these places too, and may write to the call's folder. */
  confine(command: Command, more: { program: string; read?: readonly string[] }): Command;
  /** Segments by descriptor: inputs, and two for results. */
  input: number;
  results: readonly [number, number];
  /** Whether the results in the second segment differ from those in the first by more than the task's tolerance. */
  differ(): Promise<boolean>;
  /** A path as the compiler was given it, relative to the job root; undefined for files that are not the job's. */
  inJob(file: string): string | undefined;
  /** A line, from 1, of one of the editable sources. */
  sourceLine(file: string, line: number): string | undefined;
  /** Told what is being checked for now. */
  step(name: string): void;
  /** Longest the whole check may take, milliseconds. */
  limitMs: number;
  signal: AbortSignal;
}

export interface SanitizerReport {
  findings: Finding[];
  /** What was seen and is no fault of itself. */
  warnings: string[];
  /** Checks that ran to their end, by name. */
  covered: string[];
  /** Checks that did not, each with the reason. */
  notCovered: string[];
  /** Those of them that ran and gave no result: the candidate's doing, for all that is known. */
  inconclusive: string[];
}

export interface Sanitizer {
  check(call: SanitizedCall): Promise<SanitizerReport>;
}

/** How a run of the sanitized host program ended. */
export interface SanitizedRun {
  /** Lines on its channel. */
  answers: string[];
  /** What it printed; the tail. */
  output: string;
  code?: number;
  killedBy?: string;
  timedOut: boolean;
}

export interface SanitizedProcess {
  command: Command;
  env: Record<string, string>;
  cwd: string;
  commands: string;
  input: number;
  result: number;
  limitMs: number;
  signal: AbortSignal;
}

/** Characters of answers and of output that are kept. */
const ANSWERS = 256 * 1024;
const OUTPUT = 64 * 1024;

/** Runs it to its end. Rejects when the signal is aborted or the program cannot be started. */
export function runSanitized(process: SanitizedProcess): Promise<SanitizedRun> {
  const { command, signal } = process;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn(command.file, command.args, {
      cwd: process.cwd,
      env: process.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', process.input, process.result],
    });
    const printed = new Tail(OUTPUT);
    const answered = new Tail(ANSWERS);
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (t: string) => printed.add(t));
    (child.stdio[4] as Readable).setEncoding('utf8').on('data', (t: string) => answered.add(t));
    const commands = child.stdio[3] as Writable;
    // A child that dies before it has read them is told by its end.
    for (const stream of child.stdio) stream?.on('error', () => undefined);
    commands.end(process.commands);
    let timedOut = false;
    const kill = (): void => killGroup(child.pid);
    const timer = setTimeout(
      () => {
        timedOut = true;
        kill();
      },
      Math.min(process.limitMs, LONGEST_TIMER),
    );
    signal.addEventListener('abort', kill, { once: true });
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      then();
    };
    child.once('error', (error) => settle(() => reject(error)));
    onceGone(child, (code, killedBy) =>
      settle(() => {
        kill();
        if (signal.aborted) return reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
        resolve({
          answers: answered.text().split('\n').filter(Boolean),
          output: printed.text(),
          code: code ?? undefined,
          killedBy: killedBy ?? undefined,
          timedOut,
        });
      }),
    );
  });
}
