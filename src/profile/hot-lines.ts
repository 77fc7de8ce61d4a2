// The lines at which warps were sampled most, apart by whether the scheduler issued something meanwhile. Waiting at a barrier is
// counted apart too: a warp that waits there, as a producer does, is seldom the one that makes the others wait.
import type { ProfiledLaunch, ProfiledLine } from '../../remote-runner/protocol.js';

export interface HotLine {
  line: ProfiledLine;
  /** Of the launch's samples without an issue, barriers left out; 0 to 1. */
  share: number;
  /** Most frequent reasons without an issue, barriers left out. */
  reasons: { reason: string; samples: number }[];
  /** Samples spent in a barrier. */
  atBarrier: number;
}

const BARRIERS = new Set(['barrier', 'membar', 'sleep', 'selected', 'not_selected']);

const waits = ({ notIssuedStalls }: ProfiledLine): [string, number][] =>
  Object.entries(notIssuedStalls).filter(([reason]) => !BARRIERS.has(reason));
const sum = (entries: [string, number][]): number => entries.reduce((total, [, n]) => total + n, 0);

/** Hottest first; only the task's own lines, unless there are none. */
export function hotLines({ lines }: ProfiledLaunch, count: number): HotLine[] {
  const own = lines.filter((l) => l.isOfTask);
  const of = own.length > 0 ? own : lines;
  const total = of.reduce((all, line) => all + sum(waits(line)), 0);
  if (total === 0) return [];
  return of
    .map((line) => ({
      line,
      share: sum(waits(line)) / total,
      reasons: waits(line)
        .sort((a, b) => b[1] - a[1])
        .slice(0, 3)
        .map(([reason, samples]) => ({ reason, samples })),
      atBarrier: line.notIssuedStalls.barrier ?? 0,
    }))
    .filter((hot) => hot.share > 0)
    .sort((a, b) => b.share - a.share)
    .slice(0, count);
}
