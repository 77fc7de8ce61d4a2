// BIPOP restarts of CMA-ES (Hansen, "Benchmarking a BI-population CMA-ES on the BBOB-2009 function testbed", 2009), accounted for
// as in pycma: after the first run, populations that double, and between them small ones with small steps, whichever has had
// fewer evaluations.
import { CmaEs, defaultPopulation } from './cma-es.js';
import type { RandomSource } from './random-source.js';

export interface BipopOptions {
  dimension: number;
  sigma: number;
  /** Where a run starts, anew each time. */
  start: () => readonly number[];
  /** Least standard deviations, as in CmaOptions. */
  least?: readonly number[];
  /** Large runs after the first. */
  restarts?: number;
}

/** One run after the other; drive each until it should stop, and ask for the next then. */
export function* bipopRuns(
  { dimension, sigma, start, least, restarts = 9 }: BipopOptions,
  random: RandomSource,
): Generator<CmaEs, void, void> {
  const base = defaultPopulation(dimension);
  const first = new CmaEs({ mean: start(), sigma, least }, random);
  yield first;
  let small = first.evaluations;
  let large = 0;
  let doublings = 0;
  while (doublings < restarts || small < large) {
    if (small < large) {
      const stepFactor = 0.01 ** random.unit();
      const population = Math.floor(base * (2 ** doublings) ** (random.unit() ** 2));
      const generations = Math.min(first.generations, Math.ceil((0.5 * large) / population));
      const run = new CmaEs({ mean: start(), sigma: sigma * stepFactor, population, generations, least }, random);
      yield run;
      small += run.evaluations;
    } else {
      doublings += 1;
      const run = new CmaEs({ mean: start(), sigma, population: base * 2 ** doublings, least }, random);
      yield run;
      large += run.evaluations;
    }
  }
}
