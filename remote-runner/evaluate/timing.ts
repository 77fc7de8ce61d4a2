// Times one scenario in pairs: original and candidate on the same fresh inputs, in random order; every timed call is checked.
import { randomInt } from 'node:crypto';
import type { Finding, OutputReport, Status } from '../protocol.js';
import { type Checked, firstMismatch, integrity, judge, onSide, reports } from './check.js';
import type { Layout } from './layout.js';
import type { Rig } from './rig.js';
import type { Sample } from './worker.js';

export interface Timed {
  /** Milliseconds per call, index by pair. */
  baseline: number[];
  candidate: number[];
}

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

/**
 * How many pairs to take, decided before any of them is seen: as many as fit the budget, within bounds. Seven are the least
 * with which the interval of the median says anything at 95 %.
 */
export function planPairs(pairMs: number, budgetMs: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.floor(budgetMs / Math.max(pairMs, 0.01))));
}

/** Work that goes on after the stream is done counts; a microsecond of clock reading does not. */
function millisecondsOf(sample: Sample): number {
  return sample.late > 0.05 + 0.05 * sample.event ? sample.event + sample.late : sample.event;
}

/**
 * Expects the rig to have entered and checked the scenario.
 * @throws TimedFailure, SideFailure
 */
export async function timeScenario(
  rig: Rig,
  layout: Layout,
  checked: Checked,
  options: { pairs: number; cold: boolean; isOriginal: boolean; originalLimitMs: number; onPair?: () => void },
): Promise<Timed> {
  const timed: Timed = { baseline: [], candidate: [] };
  const limit = { baseline: options.originalLimitMs, candidate: checked.limitMs };
  for (let pair = 1; pair <= options.pairs; pair++) {
    await rig.keeper.draw(pair);
    const order = randomInt(2) === 0 ? (['baseline', 'candidate'] as const) : (['candidate', 'baseline'] as const);
    for (const side of order)
      timed[side].push(millisecondsOf(await onSide(side, rig.sample(side, limit[side], options.cold))));
    await rig.keep('baseline');
    const comparison = await rig.compare('candidate');
    const outputs = reports(layout, comparison);
    const [finding] = integrity(layout, comparison);
    // An input that is not what was handed out may have made the original's task an easier one.
    if (finding) throw new TimedFailure('finding', `timed call ${pair}: ${finding.message}`, outputs, [finding]);
    const judged = judge(comparison, checked.spread);
    if (judged !== 'correct' && !options.isOriginal) {
      const message = `scenario ${layout.scenario.id}, timed call ${pair}: ${firstMismatch(outputs)}`;
      throw new TimedFailure(judged, message, outputs);
    }
    options.onPair?.();
  }
  return timed;
}

/** log(baseline / candidate) per pair. */
export const logRatios = (timed: Timed): number[] => timed.baseline.map((b, i) => Math.log(b / timed.candidate[i]!));
