// How searches move: the metrics of a trajectory on a BBOB function over a grid.
import { axisCoverage, bestStep, configurationDistance, pathLength } from '../search/metrics.js';
import { Space } from '../search/space.js';
import { OPTIMIZERS } from '../search/strategies.js';
import { bbob } from './bbob/functions.js';

/** Values of each variable: -5 to 5 in steps of a half. */
const VALUES = Array.from({ length: 21 }, (_, i) => i / 2 - 5);

export interface TrajectoryRun {
  optimizer: string;
  function: number;
  dimension: number;
  instance: number;
  seed: number;
  budget: number;
}

/** Best step over the steps, coverage, normalised path length: each in [0, 1]. @throws RangeError on an unknown optimiser */
export function runTrajectory(run: TrajectoryRun): number[] {
  const { evaluate } = bbob(run.function, run.dimension, run.instance);
  const names = Array.from({ length: run.dimension }, (_, i) => `x${i + 1}`);
  const space = new Space(names.map((name) => ({ kind: 'ordinal', name, values: VALUES })));
  const optimizer = OPTIMIZERS[run.optimizer]?.(space, run.seed);
  if (!optimizer) throw new RangeError(`no optimiser ${run.optimizer}`);
  const tried = [];
  const values: number[] = [];
  for (let i = 0; i < run.budget; ++i) {
    const [configuration] = optimizer.ask();
    if (!configuration) break;
    const value = evaluate(names.map((name) => Number(configuration[name])));
    optimizer.tell(configuration, { kind: 'value', value });
    tried.push(configuration);
    values.push(-value);
  }
  const axes = Object.fromEntries(names.map((name) => [name, VALUES]));
  return [(bestStep(values) ?? 0) / values.length, axisCoverage(tried, axes), pathLength(tried, configurationDistance)];
}
