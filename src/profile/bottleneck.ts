// What a launch waits for, in a class and a sentence of evidence. The bounds are those of Nsight Compute's own rule: from 80 %
// of the speed of light on a part is the limit, from 60 % on it is busy.
import type { KeyFigures, Unit } from './key-figures.js';

export type BottleneckClass =
  /** A part is near the most it can do. */
  | 'throughput'
  /** A part is busy, and not at its limit. */
  | 'busy'
  /** Nothing is busy: warps wait. */
  | 'latency'
  /** The grid does not fill the machine once. */
  | 'small-grid'
  | 'unknown';

export interface Bottleneck {
  class: BottleneckClass;
  /** The busiest part. */
  unit?: Unit;
  evidence: string;
}

const NEAR = 80;
const BUSY = 60;

/** Reasons as a reader of profiles knows them. */
const WAITS: Record<string, string> = {
  long_scoreboard: 'global, local or texture memory',
  short_scoreboard: 'shared memory or special functions',
  mio_throttle: 'the queue to shared memory and special functions',
  lg_throttle: 'the queue to global and local memory',
  tex_throttle: 'the queue to texture memory',
  math_pipe_throttle: 'an arithmetic pipe that is in use',
  barrier: 'a barrier of the block',
  membar: 'a memory fence',
  wait: 'a fixed latency of its own last instruction',
  no_instruction: 'the instruction cache',
  branch_resolving: 'a branch target',
  dispatch_stall: 'the dispatcher',
  drain: 'its stores at the end',
  sleeping: 'the end of a sleep',
  imc_miss: 'the constant cache',
  gmma: 'an asynchronous matrix product',
  misc: 'another reason',
};

export const waitsFor = (reason: string): string => WAITS[reason] ?? reason.replaceAll('_', ' ');

export function bottleneckOf(figures: KeyFigures): Bottleneck {
  const parts = Object.entries(figures.throughput) as [Unit, number][];
  const [busiest] = parts.sort((a, b) => b[1] - a[1]);
  if (!busiest) return { class: 'unknown', evidence: 'no throughput was measured' };
  const [unit, share] = busiest;
  const at = `${unit} at ${round(share)} % of its speed of light`;
  if (share >= NEAR) return { class: 'throughput', unit, evidence: at };
  const { waves, stalls } = figures;
  if (waves !== undefined && waves < 1)
    return { class: 'small-grid', unit, evidence: `the grid fills ${round(waves * 100)} % of one wave; ${at}` };
  const total = stalls.reduce((sum, s) => sum + s.cycles, 0);
  const [top] = stalls;
  const wait = top
    ? `a warp waits ${round(top.cycles)} of ${round(total)} cycles between instructions for ${waitsFor(top.reason)}`
    : 'stalls were not measured';
  return { class: share >= BUSY ? 'busy' : 'latency', unit, evidence: `${at}; ${wait}` };
}

/** Three significant digits. */
export const round = (value: number): string => String(Number(value.toPrecision(3)));
