// From samples to ratios: per scenario and over all of them, for the first verdict and for the confirmed one.
import { geometricMean } from '../../src/task/objective.js';
import type { Ratio, ScenarioTiming } from '../protocol.js';
import { meanInterval, median, medianInterval } from './statistics.js';
import { logRatios, type Timed } from './timing.js';

export interface Speedup {
  perScenario: ScenarioTiming[];
  overall: Ratio & { confidence: number };
}

const normal95 = 1.959964;

const exponentiate = (i: { value: number; low: number; high: number }): Ratio => ({
  value: Math.exp(i.value),
  low: Math.exp(i.low),
  high: Math.exp(i.high),
});

/** Provisional: median of the pairs' log-ratios in one process pair, 95 %. */
export function provisionalSpeedup(scenarios: { timed: Timed; weight: number }[]): Speedup {
  const intervals = scenarios.map(({ timed }) => medianInterval(logRatios(timed), 0.95));
  const perScenario = scenarios.map(({ timed }, i) => ({
    candidateMs: median(timed.candidate),
    baselineMs: median(timed.baseline),
    speedup: exponentiate(intervals[i]!),
    pairs: timed.baseline.length,
    processes: 1,
  }));
  const overall = geometricMean(
    scenarios.map(({ weight }, i) => {
      const { value, low, high } = intervals[i]!;
      return { weight, logMean: value, variance: ((high - low) / (2 * normal95)) ** 2 };
    }),
    normal95,
  );
  return { perScenario, overall: { ...overall!, confidence: 0.95 } };
}

/** Numbers of process pairs after which the confirmation looks at its interval. */
export const looks = [4, 6, 9] as const;
const confirmation = 0.99;
/** Each look gets its share of the one per cent (Bonferroni). */
const confidencePerLook = 1 - (1 - confirmation) / looks.length;

/**
 * Confirmed: the process pair is the unit. Its value is the median log-ratio per scenario; over process pairs a t interval.
 * @param processes process pair → scenario → samples; every process pair has every scenario
 */
export function confirmedSpeedup(processes: Timed[][], weights: number[]): Speedup {
  const perProcess = processes.map((scenarios) => scenarios.map((timed) => median(logRatios(timed))));
  const total = weights.reduce((a, b) => a + b, 0);
  const perScenario = weights.map((_, s): ScenarioTiming => {
    const all = processes.map((p) => p[s]!);
    return {
      candidateMs: median(all.flatMap((t) => t.candidate)),
      baselineMs: median(all.flatMap((t) => t.baseline)),
      speedup: exponentiate(
        meanInterval(
          perProcess.map((p) => p[s]!),
          confidencePerLook,
        ),
      ),
      pairs: all.reduce((n, t) => n + t.baseline.length, 0),
      processes: processes.length,
    };
  });
  const overall = perProcess.map((p) => p.reduce((sum, log, s) => sum + (weights[s]! / total) * log, 0));
  return {
    perScenario,
    overall: { ...exponentiate(meanInterval(overall, confidencePerLook)), confidence: confirmation },
  };
}
