// Random search without replacement.
import { type Known, optimizer, type Optimizer } from './optimizer.js';
import { RandomSource } from './random-source.js';
import type { Configuration, Space } from './space.js';

export function randomSearch(space: Space, seed: number): Optimizer {
  return optimizer(space, (known) => ahead(unvisited(space, seed, known), known));
}

/** How many configurations random search has ready at a time. */
const AHEAD = 16;

function* ahead(
  rest: Generator<Configuration, void, void>,
  known: Known,
): Generator<readonly Configuration[], void, void> {
  const ready: Configuration[] = [];
  for (;;) {
    while (ready.length < AHEAD) {
      const next = rest.next();
      if (next.done) break;
      ready.push(next.value);
    }
    if (ready.length === 0) return;
    // What became doubtful since it was drawn goes behind the others.
    const at = Math.max(
      0,
      ready.findIndex((c) => !known.isDoubtful(c)),
    );
    const [first] = ready.splice(at, 1);
    if (first) yield [first, ...ready];
  }
}

/** Doubtful configurations in a row after which no others are looked for: in a large space there may be next to none. */
const PATIENCE = 2 ** 13;

/** Every allowed configuration that is still unknown when its turn comes, in an order fixed by the seed; doubtful ones last. */
export function* unvisited(space: Space, seed: number, known: Known): Generator<Configuration, void, void> {
  const number = permutation(space.size, seed);
  for (const doubtfulToo of [false, true]) {
    let skipped = 0;
    for (let i = 0; i < space.size && skipped < PATIENCE; ++i) {
      const configuration = space.at(number(i));
      if (!space.contains(configuration) || known.get(configuration)) continue;
      if (doubtfulToo || !known.isDoubtful(configuration)) {
        skipped = 0;
        yield configuration;
      } else skipped += 1;
    }
  }
}

/**
 * A pseudo-random permutation of 0 … size - 1 without a table: a balanced Feistel network over the next even number of
 * bits, walked until it lands inside (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002).
 */
function permutation(size: number, seed: number): (index: number) => number {
  const half = Math.max(1, Math.ceil(Math.log2(Math.max(2, size)) / 2));
  const modulus = 2 ** half;
  const source = new RandomSource(seed);
  const keys = Array.from({ length: 4 }, () => source.uint32());
  const once = (index: number) => {
    let left = Math.floor(index / modulus);
    let right = index % modulus;
    for (const key of keys) {
      const round = new RandomSource(right + key * 2 ** 21).uint32() % modulus;
      [left, right] = [right, (left ^ round) >>> 0];
    }
    return left * modulus + right;
  };
  return (index) => {
    do index = once(index);
    while (index >= size);
    return index;
  };
}
