// Expected running time of CMA-ES on the BBOB functions, as the reference measured it (test/fixtures/bbob): BIPOP restarts, sigma
// 2, starts uniform in [-4, 4], 1000 evaluations a dimension, instances 1 to 5.
import { bipopRuns } from '../search/bipop.js';
import { RandomSource } from '../search/random-source.js';
import { bbob } from './bbob/functions.js';

/** Distances to the optimal value that count as hits. */
export const TARGETS = [10, 1, 0.1, 0.01, 0.001, 1e-5] as const;

export interface ErtRun {
  function: number;
  dimension: number;
  instance: number;
  seed: number;
}

/** Evaluations at which each target was hit, Infinity where none was, and behind them the evaluations of the run. */
export function runCma({ function: number, dimension, instance, seed }: ErtRun): number[] {
  const { best, evaluate } = bbob(number, dimension, instance);
  const random = new RandomSource(seed * 2 ** 32 + number * 10000 + dimension * 100 + instance);
  const hits: number[] = TARGETS.map(() => Infinity);
  const budget = 1000 * dimension;
  let evaluations = 0;
  const start = () => Array.from({ length: dimension }, () => 8 * random.unit() - 4);
  for (const run of bipopRuns({ dimension, sigma: 2, start }, random)) {
    while (!run.shouldStop()) {
      const samples = run.ask();
      const costs: number[] = [];
      for (const x of samples) {
        evaluations += 1;
        const distance = evaluate(x) - best;
        TARGETS.forEach((target, i) => (hits[i] = distance <= target ? Math.min(hits[i]!, evaluations) : hits[i]!));
        if (hits.at(-1) !== Infinity || evaluations === budget) return [...hits, evaluations];
        costs.push(distance);
      }
      run.tell(samples, costs);
    }
  }
  return [...hits, evaluations];
}

export interface RunningTime {
  /** Evaluations of all runs until their hit or end, over the hits: Infinity without any. */
  ert: number;
  successes: number;
}

/** Per target. @param runs what runCma gave */
export function runningTimes(runs: readonly (readonly number[])[]): RunningTime[] {
  return TARGETS.map((_, i) => {
    const successes = runs.filter((r) => r[i]! < Infinity).length;
    const spent = runs.reduce((sum, r) => sum + Math.min(r[i]!, r.at(-1)!), 0);
    return { ert: spent / successes, successes };
  });
}
