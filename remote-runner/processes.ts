// Every process that this runner starts, without those who start them having to say so: a job that does not stop can be made
// to, and what a killed runner left running is ended by the next one.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { identify, isRunning, type ProcessIdentity } from './process-identity.js';
import { killGroup } from './targets/run-tool.js';

const CHANNEL = 'child_process';
/** Lines after which the record is written anew. */
const MOST_LINES = 1000;
const started = new AsyncLocalStorage<Set<ChildProcess>>();
/** What the channel of Node publishes when a process is about to be started. */
const childOf = (message: unknown): ChildProcess => (message as { process: ChildProcess }).process;
const line = z.object({ pid: z.number().int().min(2), start: z.string() });

subscribe(CHANNEL, (message) => {
  const job = started.getStore();
  if (!job) return;
  const child = childOf(message);
  job.add(child);
  child.once('exit', () => job.delete(child));
});

/** Runs `work` and knows the processes that it starts, however deep inside. */
export class StartedBy {
  private readonly children = new Set<ChildProcess>();

  run<T>(work: () => Promise<T>): Promise<T> {
    return started.run(this.children, work);
  }

  /** Kills their groups. */
  kill(): void {
    for (const child of this.children) {
      killGroup(child.pid);
      child.kill('SIGKILL');
    }
  }
}

/**
 * Writes what is started from now on to `file`, one identity a line.
 * @returns ends what still runs and stops writing
 */
export function recordProcesses(file: string): () => void {
  const alive = new Map<ChildProcess, ProcessIdentity>();
  let lines = 0;
  /** Appends; now and then writes anew, since most of what is in the file has long ended. */
  const record = (identity: ProcessIdentity): void => {
    const text = (all: Iterable<ProcessIdentity>): string => [...all].map((i) => `${JSON.stringify(i)}\n`).join('');
    lines += 1;
    if (lines % MOST_LINES === 0) writeFileSync(file, text(alive.values()), { mode: 0o600 });
    else appendFileSync(file, text([identity]), { mode: 0o600 });
  };
  const onProcess = (message: unknown): void => {
    const child = childOf(message);
    child.once('spawn', () => {
      const identity = child.pid === undefined ? undefined : identify(child.pid);
      if (!identity) return;
      alive.set(child, identity);
      try {
        record(identity);
      } catch {
        // A full disk: what is lost is the clearing up after a kill, which the processes' own care mostly covers.
      }
    });
    child.once('exit', () => alive.delete(child));
  };
  subscribe(CHANNEL, onProcess);
  return () => {
    unsubscribe(CHANNEL, onProcess);
    for (const child of alive.keys()) killGroup(child.pid);
  };
}

/** Ends what a runner that was killed has recorded and is still running. */
export function killRecorded(file: string): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return;
  }
  for (const one of text.split('\n')) {
    try {
      const identity = line.parse(JSON.parse(one));
      if (identity.start !== '' && isRunning(identity)) killGroup(identity.pid);
    } catch {
      // The end of a line that was being written.
    }
  }
}
