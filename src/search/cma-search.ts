// CMA-ES with BIPOP restarts on a discrete space: a variable per dimension, from 0 to 1 over the ranks of its values, rounded.
import { bipopRuns } from './bipop.js';
import { Fresh, type Wants } from './fresh.js';
import { optimizer, type Optimizer } from './optimizer.js';
import type { Point } from './pool.js';
import { RandomSource } from './random-source.js';
import type { Configuration, Space } from './space.js';

const SIGMA = 0.3;
/** Least deviation of a variable, in steps between its values. */
const LEAST = 0.3;
/** Generations without anything new after which a run has converged. */
const STALE = 2;
/** Draws for one sample that a restriction allows. */
const DRAWS = 8;

export function cmaSearch(space: Space, seed: number, start?: Configuration): Optimizer {
  return optimizer(space, (known) => search(new Fresh(space, known, seed), new RandomSource(seed), start));
}

function* search(fresh: Fresh, random: RandomSource, start: Configuration | undefined): Wants {
  const { space } = fresh;
  const step = space.dimensions.map((_, d) => 1 / Math.max(1, space.values(d).length - 1));
  const place = (point: Point) => point.map((v, d) => v * step[d]!);
  const rounded = (x: readonly number[]): Point =>
    x
      .map((v, d) => Math.round(Math.min(1, Math.max(0, v)) / step[d]!))
      .map((v, d) => Math.min(v, space.values(d).length - 1));
  const first = start && space.point(start);
  if (first) yield* fresh.evaluate([first]);
  let isFirst = true;
  const runs = bipopRuns(
    {
      dimension: step.length,
      sigma: SIGMA,
      least: step.map((s) => LEAST * s),
      start: () => {
        const point = isFirst && first ? first : fresh.other();
        isFirst = false;
        return point ? place(point) : step.map(() => random.unit());
      },
    },
    random,
  );
  for (const run of runs) {
    for (let stale = 0; stale < STALE && !run.shouldStop();) {
      const samples = run.ask();
      // Resampled where the restriction forbids; what stays forbidden costs Infinity.
      for (let draw = 0; draw < DRAWS; ++draw) {
        const again = run.ask();
        samples.forEach((x, i) => {
          if (!space.contains(space.configuration(rounded(x)))) samples[i] = again[i]!;
        });
      }
      const points = samples.map(rounded);
      stale = points.some((p) => fresh.has(p)) ? 0 : stale + 1;
      run.tell(samples, yield* fresh.evaluate(points));
    }
    const other = fresh.other();
    if (!other) break;
    yield* fresh.evaluate([other]);
  }
  for (let other; (other = fresh.other());) yield* fresh.evaluate([other]);
  yield* fresh.drain();
}
