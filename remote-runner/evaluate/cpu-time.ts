// CPU time of a worker as the kernel accounts it: what its own clock says does not matter, nor how busy the machine is.
import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';

/** CPU time used up to a moment, milliseconds. */
export interface CpuTime {
  /** Of all threads, those that have ended too; NaN where the system does not tell. */
  total: number;
  /** Of each thread that still runs, by its number. */
  threads: ReadonlyMap<string, number>;
}

/** What passed between two moments by a clock outside, milliseconds. */
export interface Spent {
  /** All work that was done. */
  work: number;
  /** The least time that this work takes on a machine with nothing else to do: that of its busiest thread. */
  path: number;
}

/** Everything below a process; a launcher puts others between itself and its program. */
export function processesBelow(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return children.map(Number).flatMap((child) => [child, ...processesBelow(child)]);
  } catch {
    return [];
  }
}

/** The threads of these processes with their CPU time, milliseconds; those that have just ended are left out. */
export function threadTimes(pids: readonly number[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const pid of pids) {
    try {
      for (const task of readdirSync(`/proc/${pid}/task`)) {
        const [nanoseconds] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
        times.set(task, Number(nanoseconds) / 1e6);
      }
    } catch {
      // It has ended meanwhile.
    }
  }
  return times;
}

/**
 * The busiest thread is given all work of threads that have ended: how it was shared is not known. Work split over more threads
 * than there are cores takes no less than its share of each core.
 */
export function spentBetween(before: CpuTime, after: CpuTime, cores = os.availableParallelism()): Spent {
  const work = after.total - before.total;
  const alive = [...after.threads].map(([task, ms]) => ms - (before.threads.get(task) ?? 0));
  const ended = Math.max(0, work - alive.reduce((a, b) => a + b, 0));
  return { work, path: Math.max(Math.max(0, ...alive) + ended, work / cores) };
}
