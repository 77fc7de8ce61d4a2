// Search by a classifier: a random forest learns which configurations are likely in the top tenth (Song, Yu, Neiswanger and Ermon,
// "A general recipe for likelihood-free Bayesian optimization", ICML 2022); chosen are likely ones that are not alike.
import { Features } from './features.js';
import { Forest } from './forest.js';
import { Fresh, type Wants } from './fresh.js';
import { type Known, optimizer, type Optimizer } from './optimizer.js';
import { candidatePool, listPoints, type Point } from './pool.js';
import { RandomSource } from './random-source.js';
import type { Configuration, Space } from './space.js';

const FIRST = 15;
const TOP = 0.1;
const TREES = 48;
/** Chosen from one forest. */
const BATCH = 4;
/** Of a sample of the space, as many are looked at; the neighbourhoods of the best come on top. */
const LOOKED_AT = 512;
const CENTRES = 3;
/** What a likely configuration loses when it is all like one already chosen. */
const ALIKE = 0.5;

export function forestSearch(space: Space, seed: number, start?: Configuration): Optimizer {
  return optimizer(space, (known) => search(new Fresh(space, known, seed), new RandomSource(seed), known, start));
}

function* search(fresh: Fresh, random: RandomSource, known: Known, start: Configuration | undefined): Wants {
  const { space } = fresh;
  const features = new Features(space);
  const listed = listPoints(space);
  const first = start && space.point(start);
  const seen: Point[] = [...(first ? [first] : []), ...fresh.others(FIRST)];
  yield* fresh.evaluate(seen);
  for (;;) {
    const cost = (point: Point) => known.cost(space.configuration(point));
    const order = [...seen].sort((a, b) => (cost(a) < cost(b) ? -1 : 1));
    const limit = cost(order[Math.max(0, Math.ceil(TOP * order.length) - 1)] ?? []);
    const rows = seen.map((p) => features.row(p));
    const forest = Forest.grow(
      rows,
      seen.map((p) => cost(p) <= limit && cost(p) < Infinity),
      TREES,
      random,
    );
    const near = order.slice(0, CENTRES);
    const pool = candidatePool(space, listed, random, near);
    const around = pool.slice(0, -LOOKED_AT).filter((p) => near.some((c) => differences(c, p) <= 2));
    const candidates = [...around, ...random.shuffled(pool).slice(0, LOOKED_AT)].filter((p) => fresh.has(p));
    const chosen = choose(candidates, forest, features);
    const next = chosen.length > 0 ? chosen : fresh.others(1);
    if (next.length === 0) break;
    seen.push(...next);
    yield* fresh.evaluate(next);
  }
  yield* fresh.drain();
}

/** One after the other the most likely, less what it is like the chosen. */
function choose(candidates: readonly Point[], forest: Forest, features: Features): Point[] {
  const left = new Map(
    candidates.map((point) => {
      const row = features.row(point);
      return [point.join(), { point, row, likely: forest.probability(row), alike: 0 }];
    }),
  );
  const chosen: Point[] = [];
  while (chosen.length < BATCH && left.size > 0) {
    const score = (c: { likely: number; alike: number }) => c.likely - ALIKE * c.alike;
    const best = [...left.values()].reduce((a, b) => (score(b) > score(a) ? b : a));
    chosen.push(best.point);
    left.delete(best.point.join());
    for (const other of left.values()) other.alike = Math.max(other.alike, forest.proximity(best.row, other.row));
  }
  return chosen;
}

function differences(a: Point, b: Point): number {
  return a.filter((v, d) => v !== b[d]).length;
}
