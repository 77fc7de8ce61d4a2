// Tree-structured Parzen estimator (Bergstra, Bardenet, Bengio and Kégl, "Algorithms for hyper-parameter optimization", NIPS
// 2011): densities of the good and of the other configurations, one dimension at a time; proposed is where their ratio is largest
// among draws from the good.
import { Fresh, type Wants } from './fresh.js';
import { type Known, optimizer, type Optimizer } from './optimizer.js';
import type { Point } from './pool.js';
import { RandomSource } from './random-source.js';
import type { Configuration, Space } from './space.js';

const FIRST = 10;
/** Share of configurations that count as good, and their largest number. */
const GOOD = 0.2;
const MOST_GOOD = 25;
const DRAWS = 48;

export function parzenSearch(space: Space, seed: number, start?: Configuration): Optimizer {
  return optimizer(space, (known) => search(new Fresh(space, known, seed), new RandomSource(seed), known, start));
}

function* search(fresh: Fresh, random: RandomSource, known: Known, start: Configuration | undefined): Wants {
  const { space } = fresh;
  const first = start && space.point(start);
  const seen: Point[] = [...(first ? [first] : []), ...fresh.others(FIRST)];
  yield* fresh.evaluate(seen);
  for (;;) {
    const next = propose(fresh, random, known, seen) ?? fresh.other();
    if (!next) break;
    seen.push(next);
    yield* fresh.evaluate([next]);
  }
  yield* fresh.drain();
}

function propose(fresh: Fresh, random: RandomSource, known: Known, seen: readonly Point[]): Point | undefined {
  const { space } = fresh;
  const cost = (point: Point) => known.cost(space.configuration(point));
  const order = [...seen].sort((a, b) => (cost(a) < cost(b) ? -1 : 1));
  const count = Math.min(MOST_GOOD, Math.ceil(GOOD * order.length));
  const densities = (points: readonly Point[]) =>
    space.dimensions.map((_, d) => {
      const own = points.map((point) => point[d]!);
      return density(space.values(d).length, space.isOrdered(d), own);
    });
  const [good, other] = [densities(order.slice(0, count)), densities(order.slice(count))];
  let best: { point: Point; ratio: number } | undefined;
  for (let draw = 0; draw < DRAWS; ++draw) {
    const point = good.map((weights) => pick(weights, random));
    if (!fresh.has(point)) continue;
    const ratio = point.reduce((sum, v, d) => sum + Math.log(good[d]![v]! / other[d]![v]!), 0);
    if (!best || ratio > best.ratio) best = { point, ratio };
  }
  return best?.point;
}

/**
 * Probabilities of the values of a dimension: a kernel at each observed one, and the uniform prior as one observation more. The
 * kernel of an ordered dimension is a discretised normal, narrower the more there is; of any other, the value itself.
 */
function density(size: number, isOrdered: boolean, observed: readonly number[]): number[] {
  const weights = new Array<number>(size).fill(1 / size);
  const width = Math.max(0.5, (0.5 * size) / Math.sqrt(observed.length + 1));
  for (const centre of observed) {
    const kernel = weights.map((_, v) =>
      isOrdered ? Math.exp(-0.5 * ((v - centre) / width) ** 2) : Number(v === centre),
    );
    const total = kernel.reduce((sum, k) => sum + k, 0);
    kernel.forEach((k, v) => (weights[v]! += k / total));
  }
  return weights.map((w) => w / (observed.length + 1));
}

function pick(weights: readonly number[], random: RandomSource): number {
  let left = random.unit();
  const at = weights.findIndex((w) => (left -= w) < 0);
  return at < 0 ? weights.length - 1 : at;
}
