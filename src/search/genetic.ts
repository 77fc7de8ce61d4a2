// A genetic algorithm: tournaments, uniform crossover (Syswerda, "Uniform crossover in genetic algorithms", ICGA 1989), mutation,
// and the best of parents and children live on (Eshelman, "The CHC adaptive search algorithm", FOGA 1991).
import { Fresh, type Wants } from './fresh.js';
import { optimizer, type Optimizer } from './optimizer.js';
import type { Point } from './pool.js';
import { RandomSource } from './random-source.js';
import type { Configuration, Space } from './space.js';

const POPULATION = 16;
/** Attempts at a child that is new. */
const ATTEMPTS = 16;

export function geneticSearch(space: Space, seed: number, start?: Configuration): Optimizer {
  return optimizer(space, (known) => search(new Fresh(space, known, seed), new RandomSource(seed), start));
}

interface Member {
  point: Point;
  cost: number;
}

function* search(fresh: Fresh, random: RandomSource, start: Configuration | undefined): Wants {
  const first = start && fresh.space.point(start);
  let parents = yield* members(fresh, [...(first ? [first] : []), ...fresh.others(POPULATION)]);
  while (parents.length > 0) {
    const children: Point[] = [];
    for (let attempt = 0; children.length < POPULATION && attempt < POPULATION * ATTEMPTS; ++attempt) {
      const child = cross(winner(parents, random), winner(parents, random), fresh.space, random);
      if (fresh.has(child) && !children.some((c) => c.join() === child.join())) children.push(child);
    }
    // A population that has become one family gets newcomers.
    const newcomers = fresh.others(Math.max(children.length === 0 ? 1 : 0, POPULATION / 2 - children.length));
    if (children.length + newcomers.length === 0) break;
    const next = yield* members(fresh, [...children, ...newcomers]);
    parents = [...parents, ...next].sort((a, b) => a.cost - b.cost).slice(0, POPULATION);
  }
  yield* fresh.drain();
}

function* members(fresh: Fresh, points: readonly Point[]): Wants<Member[]> {
  const costs = yield* fresh.evaluate(points);
  return points.map((point, i) => ({ point, cost: costs[i] ?? Infinity }));
}

function winner(members: readonly Member[], random: RandomSource): Point {
  const [a, b] = [members[random.below(members.length)]!, members[random.below(members.length)]!];
  return (a.cost <= b.cost ? a : b).point;
}

/** Each value from either parent, and one in as many as there are dimensions anew. */
function cross(a: Point, b: Point, space: Space, random: RandomSource): Point {
  return a.map((value, d) => {
    if (random.unit() < 1 / a.length) return random.below(space.values(d).length);
    return random.unit() < 0.5 ? value : b[d]!;
  });
}
