// Simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 220, 1983) with restarts. A step is a neighbour; what decides is the
// ratio of the costs, so that nothing depends on their unit.
import { drawn, Fresh, type Wants } from './fresh.js';
import { optimizer, type Optimizer } from './optimizer.js';
import type { Point } from './pool.js';
import { RandomSource } from './random-source.js';
import type { Configuration, Space } from './space.js';

const HOT = 0.3;
const COLD = 0.01;
/** The temperature falls by this with every evaluation. */
const COOLING = 0.96;
/** Steps over known ground in a row after which a walk begins elsewhere. */
const PATIENCE = 64;

export function annealing(space: Space, seed: number, start?: Configuration): Optimizer {
  return optimizer(space, (known) => search(new Fresh(space, known, seed), new RandomSource(seed), start));
}

function* search(fresh: Fresh, random: RandomSource, start: Configuration | undefined): Wants {
  let from: Point | undefined = (start && fresh.space.point(start)) ?? fresh.other();
  while (from) {
    yield* walk(fresh, random, from);
    from = fresh.other();
  }
  yield* fresh.drain();
}

function* walk(fresh: Fresh, random: RandomSource, from: Point): Wants {
  let at = from;
  let [cost] = yield* fresh.evaluate([at]);
  let known = 0;
  for (let temperature = HOT; temperature > COLD && known < PATIENCE;) {
    const next = neighbour(fresh.space, at, random);
    if (!next) return;
    if (fresh.has(next)) {
      known = 0;
      temperature *= COOLING;
    } else known += 1;
    const [nextCost] = yield* fresh.evaluate([next]);
    if (accepts(cost!, nextCost!, temperature, random)) [at, cost] = [next, nextCost];
  }
}

function accepts(cost: number, next: number, temperature: number, random: RandomSource): boolean {
  if (next <= cost) return true;
  if (next === Infinity) return false;
  const scale = Math.abs(cost) || 1;
  return random.unit() < Math.exp(-(next - cost) / scale / temperature);
}

/** A random allowed neighbour; where there is none, any allowed point. */
function neighbour(space: Space, at: Point, random: RandomSource): Point | undefined {
  const near = space.neighbours(space.configuration(at));
  const chosen = near[random.below(near.length)];
  return chosen ? space.point(chosen) : drawn(space, random);
}
