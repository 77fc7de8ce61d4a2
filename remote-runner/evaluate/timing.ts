// Times one scenario in rounds: every side once on the same fresh inputs, in random order; every timed call is checked.
import { randomInt } from 'node:crypto';
import type { Finding, OutputReport, Status } from '../protocol.js';
import { type Checked, settle } from './check.js';
import { keepExpected } from './expected.js';
import type { DeviceState } from './keeper.js';
import type { Layout } from './layout.js';
import { firstMismatch, integrity, reports } from './reports.js';
import type { Rig, Side, TimedSide } from './rig.js';
import { onSide } from './side.js';
import { median } from './statistics.js';
import type { Sample } from './worker.js';

export interface Timed {
  /** Milliseconds per call, index by round. */
  baseline: number[];
  candidate: number[];
  /** Empty where no incumbent takes part. */
  incumbent: number[];
  /**
   * What each took by the runner's clock, milliseconds: from the moment it gets its inputs until its results are here.
   */
  outside: { baseline: number[]; candidate: number[]; incumbent: number[] };
  /** The GPU right after each round; empty on the CPU target. */
  device: DeviceState[];
}

/** What an interval is made of. */
export type Times = Pick<Timed, TimedSide>;

/** A timed call went wrong, though the checked ones had not. */
export class TimedFailure extends Error {
  constructor(
    readonly status: Extract<Status, 'wrong' | 'inconclusive' | 'finding'>,
    message: string,
    readonly outputs: OutputReport[],
    readonly findings: Finding[] = [],
  ) {
    super(message);
    this.name = 'TimedFailure';
  }
}

/** Fewest rounds of a first verdict: with seven the sign test's interval of the median says anything at 95 % at all. */
export const FEWEST = 7;

/** How many rounds to take, decided before any of them is seen: as many as fit the budget, within bounds. */
export function planPairs(pairMs: number, budgetMs: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.floor(budgetMs / Math.max(pairMs, 0.01))));
}

/** Longer than this, and than this share of the call, is more than asking twice whether the device is done, milliseconds. */
const [LATE_MS, LATE_SHARE] = [0.003, 0.02];

/**
 * Milliseconds per call. Work that goes on after the stream is done counts: by how much longer the device is busy then than
 * with the side that leaves least, in the median over the rounds.
 */
function millisecondsOf(samples: readonly Sample[], leastLate: number): number[] {
  const late = median(samples.map((s) => s.late)) - leastLate;
  const counts = late > LATE_MS + LATE_SHARE * median(samples.map((s) => s.event));
  return samples.map((s) => s.event + (counts ? late : 0));
}

function shuffled<T>(values: readonly T[]): T[] {
  const all = [...values];
  for (let i = all.length - 1; i > 0; i--) {
    const j = randomInt(i + 1);
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all;
}

export interface TimingOptions {
  rounds: number;
  cold: boolean;
  originalLimitMs: number;
  /** Milliseconds of calls without a pause before each sample: 0 for a device at rest, more for one under steady use. */
  heatMs?: number;
  onRound?: () => void;
}

/**
 * Expects the rig to have entered and checked the scenario.
 * @throws TimedFailure, SideFailure
 */
export async function timeScenario(rig: Rig, layout: Layout, checked: Checked, options: TimingOptions): Promise<Timed> {
  const { rounds, cold, heatMs = 0 } = options;
  const timed: Timed = {
    baseline: [],
    candidate: [],
    incumbent: [],
    device: [],
    outside: { baseline: [], candidate: [], incumbent: [] },
  };
  const samples: Record<TimedSide, Sample[]> = { baseline: [], incumbent: [], candidate: [] };
  const limitOf = (side: Side): number => (side === 'baseline' ? options.originalLimitMs : checked.limitMs);
  for (let round = 1; round <= rounds; round++) {
    await rig.keeper.draw(round);
    for (const side of shuffled(rig.timedSides)) {
      if (heatMs > 0) await onSide(side, rig.heat(side, heatMs, limitOf(side)));
      const start = performance.now();
      const all = side === 'candidate' && round === rounds;
      samples[side].push(await onSide(side, rig.sample(side, limitOf(side), cold, all)));
      timed.outside[side].push(performance.now() - start);
    }
    if (rig.watches) timed.device.push(await rig.keeper.device());
    await keepExpected(rig, options.originalLimitMs);
    // All of the inputs come back from the first call, that was checked, and from the last: they are not to be written to.
    const failure = await compared(rig, layout, checked, `timed call ${round}`, round === rounds);
    // An input that is not what was handed out may have made the original's task an easier one.
    if (failure) throw failure;
    options.onRound?.();
  }
  const leastLate = Math.min(...rig.timedSides.map((side) => median(samples[side].map((s) => s.late))));
  for (const side of rig.timedSides) timed[side] = millisecondsOf(samples[side], leastLate);
  return timed;
}

/** What the candidate has left in its segment beside the expectation; undefined when it is right. */
export async function compared(
  rig: Rig,
  layout: Layout,
  checked: Checked,
  what: string,
  inputs = false,
): Promise<TimedFailure | undefined> {
  const comparison = await rig.compare('candidate', inputs);
  const outputs = reports(layout, comparison);
  const [finding] = integrity(layout, comparison);
  if (finding) return new TimedFailure('finding', `${what}: ${finding.message}`, outputs, [finding]);
  const judged = await settle(rig, comparison, checked);
  // The original is right by definition, unless something else says what is.
  if (judged === 'correct' || (checked.isOriginal && !rig.sides.includes('reference'))) return undefined;
  return new TimedFailure(judged, `scenario ${layout.scenario.id}, ${what}: ${firstMismatch(outputs)}`, outputs);
}

/** log(other / candidate) per round: above 0 the candidate is faster. */
export const logRatios = (timed: Times, other: 'baseline' | 'incumbent' = 'baseline'): number[] =>
  timed[other].map((b, i) => Math.log(b / timed.candidate[i]!));
