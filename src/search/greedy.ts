// Iterated local search, first improvement (Lourenço, Martin and Stützle, "Iterated Local Search", in: Handbook of
// Metaheuristics, 2003): climb from the default, then again and again from a changed best.
import { type Known, optimizer, type Optimizer } from './optimizer.js';
import { unvisited } from './random.js';
import { RandomSource } from './random-source.js';
import type { Configuration, Space } from './space.js';

/** Tries to leave the best known point before a restart falls back to a point drawn from all that is left. */
const KICKS = 16;

/** @param start where the first climb begins: the configuration the sources already have; absent: the lowest values */
export function greedySearch(space: Space, seed: number, start = space.at(0)): Optimizer {
  return optimizer(space, (known) => search(space, start, seed, known));
}

function* search(
  space: Space,
  start: Configuration,
  seed: number,
  known: Known,
): Generator<readonly Configuration[], void, void> {
  const random = new RandomSource(seed);
  const rest = unvisited(space, seed, known);
  let best = start;
  let from: Configuration | undefined = start;
  for (let restart = 0; from; ++restart) {
    if (space.contains(from)) yield [from];
    const top: Configuration = yield* climb(space, from, random, known);
    if (known.cost(top) < known.cost(best)) best = top;
    // Every third restart ignores what is known, so that one basin cannot hold the search for ever.
    const kicked: Configuration | undefined = restart % 3 === 2 ? undefined : kick(space, best, random, known);
    from = kicked ?? rest.next().value ?? undefined;
  }
}

/** Goes to the first better neighbour, in random order, until there is none. Returns where it stops. */
function* climb(
  space: Space,
  from: Configuration,
  random: RandomSource,
  known: Known,
): Generator<readonly Configuration[], Configuration, void> {
  for (;;) {
    let next: Configuration | undefined;
    const neighbours = random.shuffled(space.neighbours(from));
    for (const [i, neighbour] of neighbours.entries()) {
      if (!known.get(neighbour) && known.isDoubtful(neighbour)) continue;
      yield neighbours.slice(i);
      if (known.cost(neighbour) < known.cost(from)) {
        next = neighbour;
        break;
      }
    }
    if (!next) return from;
    from = next;
  }
}

/** The best with two or three of its values drawn anew, where that is a configuration worth asking for. */
function kick(space: Space, best: Configuration, random: RandomSource, known: Known): Configuration | undefined {
  const point = space.point(best);
  if (!point) return undefined;
  for (let i = 0; i < KICKS; ++i) {
    const changed = [...point];
    for (const d of random.shuffled([...point.keys()]).slice(0, 2 + random.below(2))) {
      changed[d] = random.below(space.values(d).length);
    }
    const configuration = space.configuration(changed);
    if (space.contains(configuration) && !known.get(configuration) && !known.isDoubtful(configuration)) {
      return configuration;
    }
  }
  return undefined;
}
