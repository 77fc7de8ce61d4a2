// From samples to ratios: per scenario and over all of them, for the first verdict and for the confirmed one.
import { geometricMean } from '../../src/task/objective.js';
import type { Ratio, ScenarioTiming } from '../protocol.js';
import { type Interval, meanInterval, median, medianInterval } from './statistics.js';
import { logRatios, type Times } from './timing.js';

export type ConfidentRatio = Ratio & { confidence: number };

export interface Speedup {
  perScenario: ScenarioTiming[];
  /** Over the original. */
  overall: ConfidentRatio;
  /** Over the incumbent, from the same rounds; absent where none took part. */
  overIncumbent?: ConfidentRatio;
}

/** What the candidate is compared with to decide whether it is a new best: the incumbent if there is one. */
export const decisive = (speedup: Speedup): ConfidentRatio => speedup.overIncumbent ?? speedup.overall;

const normal95 = 1.959964;

const exponentiate = (i: Interval): Ratio => ({
  value: Math.exp(i.value),
  low: Math.exp(i.low),
  high: Math.exp(i.high),
});

type Other = 'baseline' | 'incumbent';

function timingOf(all: Times[], ratioOver: (other: Other) => Ratio): ScenarioTiming {
  const incumbent = all.flatMap((t) => t.incumbent);
  return {
    candidateMs: median(all.flatMap((t) => t.candidate)),
    baselineMs: median(all.flatMap((t) => t.baseline)),
    speedup: ratioOver('baseline'),
    ...(incumbent.length > 0 ? { incumbentMs: median(incumbent), overIncumbent: ratioOver('incumbent') } : {}),
    pairs: all.reduce((n, t) => n + t.baseline.length, 0),
    processes: all.length,
  };
}

/** Provisional: median of the rounds' log-ratios in one set of processes, 95 %. */
export function provisionalSpeedup(scenarios: { timed: Times; weight: number }[]): Speedup {
  const overall = (other: Other): ConfidentRatio => {
    const logs = scenarios.map(({ timed, weight }) => {
      const { value, low, high } = medianInterval(logRatios(timed, other), 0.95);
      return { weight, logMean: value, variance: ((high - low) / (2 * normal95)) ** 2 };
    });
    return { ...geometricMean(logs, normal95)!, confidence: 0.95 };
  };
  return {
    perScenario: scenarios.map(({ timed }) =>
      timingOf([timed], (other) => exponentiate(medianInterval(logRatios(timed, other), 0.95))),
    ),
    overall: overall('baseline'),
    ...(scenarios.every((s) => s.timed.incumbent.length > 0) ? { overIncumbent: overall('incumbent') } : {}),
  };
}

/** Numbers of sets of fresh processes after which the confirmation looks at its interval. */
export const looks = [4, 6, 9] as const;
const confirmation = 0.99;
/** Each look gets its share of the one per cent (Bonferroni). */
const confidencePerLook = 1 - (1 - confirmation) / looks.length;

/**
 * Confirmed: the set of fresh processes is the unit. Its value is the median log-ratio per scenario; over sets a t interval.
 * @param processes set → scenario → samples; every set has every scenario
 */
export function confirmedSpeedup(processes: Times[][], weights: number[]): Speedup {
  const total = weights.reduce((a, b) => a + b, 0);
  const perProcess = (other: Other): number[][] =>
    processes.map((scenarios) => scenarios.map((timed) => median(logRatios(timed, other))));
  const overall = (other: Other): ConfidentRatio => {
    const means = perProcess(other).map((p) => p.reduce((sum, log, s) => sum + (weights[s]! / total) * log, 0));
    return { ...exponentiate(meanInterval(means, confidencePerLook)), confidence: confirmation };
  };
  return {
    perScenario: weights.map((_, s) =>
      timingOf(
        processes.map((p) => p[s]!),
        (other) =>
          exponentiate(
            meanInterval(
              perProcess(other).map((p) => p[s]!),
              confidencePerLook,
            ),
          ),
      ),
    ),
    overall: overall('baseline'),
    ...(processes.every((p) => p.every((t) => t.incumbent.length > 0)) ? { overIncumbent: overall('incumbent') } : {}),
  };
}
