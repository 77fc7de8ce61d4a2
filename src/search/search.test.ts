// Spaces and optimisers: properties every optimiser must have, and what greedy adds.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectedOfRandom } from '../bench/replay.js';
import { greedySearch } from './greedy.js';
import { type Optimizer, type Outcome } from './optimizer.js';
import { type Configuration, type Dimension, Space } from './space.js';
import { OPTIMIZERS } from './strategies.js';

const values = fc.uniqueArray(fc.integer({ min: -99, max: 99 }), { minLength: 1, maxLength: 5 });
const dimension: fc.Arbitrary<Omit<Dimension, 'name'>> = fc.oneof(
  values.map((v) => ({ kind: 'ordinal', values: v }) as const),
  values.map((v) => ({ kind: 'categorical', values: v.map(String) }) as const),
  fc.record({
    kind: fc.constant('integer' as const),
    low: fc.integer({ min: -3, max: 3 }),
    high: fc.integer({ min: 3, max: 9 }),
    step: fc.integer({ min: 1, max: 4 }),
  }),
  fc.constant({ kind: 'boolean' } as const),
);
/** A space with an arbitrary restriction, and an arbitrary but fixed outcome for every configuration. */
const problem = fc
  .record({
    dimensions: fc.array(dimension, { minLength: 1, maxLength: 3 }),
    salt: fc.integer(),
    seed: fc.maxSafeInteger(),
  })
  .map(({ dimensions, salt, seed }) => {
    const hash = (c: Configuration, n: number) => {
      let h = salt + n;
      for (const ch of JSON.stringify(c)) h = (Math.imul(h, 31) + ch.charCodeAt(0)) | 0;
      return Math.abs(h % 8);
    };
    const named = dimensions.map((d, i) => ({ ...d, name: `d${i}` }) as Dimension);
    const space = new Space(named, (c) => hash(c, 0) !== 0);
    const outcome = (c: Configuration): Outcome => {
      const h = hash(c, 1);
      return h === 0 ? { kind: 'invalid' } : h === 1 ? { kind: 'failed' } : { kind: 'value', value: h };
    };
    return { space, seed, outcome };
  });

function run(optimizer: Optimizer, outcome: (c: Configuration) => Outcome, steps: number): Configuration[] {
  const asked: Configuration[] = [];
  for (let c: Configuration | undefined; asked.length < steps && ([c] = optimizer.ask()) && c;) {
    asked.push(c);
    optimizer.tell(c, outcome(c));
  }
  return asked;
}

describe.each(Object.entries(OPTIMIZERS))('%s', (_name, make) => {
  const runs = { numRuns: 25 };

  test('asks every allowed configuration once and nothing else', () => {
    fc.assert(
      fc.property(problem, ({ space, seed, outcome }) => {
        const keys = run(make(space, seed), outcome, Infinity).map((c) => String(space.point(c)));
        const all = Array.from({ length: space.size }, (_, i) => space.at(i)).filter((c) => space.contains(c));
        expect([...keys].sort()).toEqual(all.map((c) => String(space.point(c))).sort());
      }),
      runs,
    );
  });

  test('repeats itself for one seed and differs for most others', () => {
    fc.assert(
      fc.property(problem, ({ space, seed, outcome }) => {
        const once = run(make(space, seed), outcome, Infinity);
        expect(run(make(space, seed), outcome, Infinity)).toEqual(once);
      }),
      runs,
    );
    const wide = new Space([{ kind: 'integer', name: 'n', low: 0, high: 999 }]);
    const first = (seed: number) => JSON.stringify(run(make(wide, seed), () => ({ kind: 'failed' }), 5));
    expect(new Set([1, 2, 3, 4, 5].map(first)).size).toBeGreaterThan(3);
  });

  test('asked twice before a tell, it repeats itself; a batch begins with the next and has nothing twice', () => {
    fc.assert(
      fc.property(problem, fc.nat(20), fc.integer({ min: 1, max: 5 }), ({ space, seed, outcome }, steps, count) => {
        const optimizer = make(space, seed);
        const past = run(optimizer, outcome, steps);
        const batch = optimizer.ask(count);
        expect(optimizer.ask(count)).toEqual(batch);
        expect(optimizer.ask()).toEqual(batch.slice(0, 1));
        const keys = [...past, ...batch].map((c) => String(space.point(c)));
        expect(new Set(keys).size).toBe(keys.length);
        expect(batch.length).toBeLessThanOrEqual(count);
      }),
      runs,
    );
  });

  test('a fresh one that is told the past goes on where the first would have', () => {
    fc.assert(
      fc.property(problem, fc.nat(20), ({ space, seed, outcome }, steps) => {
        const first = make(space, seed);
        const past = run(first, outcome, steps);
        const resumed = make(space, seed);
        for (const c of past) resumed.tell(c, outcome(c));
        expect(run(resumed, outcome, Infinity)).toEqual(run(first, outcome, Infinity));
      }),
      runs,
    );
  });

  test('a bound that was met is not run into again while anything else is left', () => {
    const space = new Space([{ kind: 'ordinal', name: 'TILE', values: [16, 32, 64, 96, 110, 111, 128, 256] }]);
    const outcome = ({ TILE }: Configuration): Outcome =>
      Number(TILE) > 110 ? { kind: 'invalid' } : { kind: 'value', value: Math.abs(Number(TILE) - 64) };
    for (let seed = 0; seed < 20; ++seed) {
      const order = run(make(space, seed), outcome, Infinity).map(({ TILE }) => Number(TILE));
      const lastValid = Math.max(...order.flatMap((t, i) => (t <= 110 ? [i] : [])));
      const firstInvalid = order.findIndex((t) => t > 110);
      const knowsAValid = order.slice(0, firstInvalid).some((t) => t <= 110);
      // Once one invalid and one valid are known, nothing beyond the invalid one comes before the valid rest.
      if (!knowsAValid) continue;
      const bound = order[firstInvalid] ?? 0;
      expect(order.slice(firstInvalid + 1, lastValid + 1).filter((t) => t > bound)).toEqual([]);
    }
  });
});

test.each(Object.keys(OPTIMIZERS).filter((name) => name !== 'random'))(
  '%s comes nearer to the optimum of a smooth space than random search is expected to',
  (name) => {
    const space = new Space(
      ['a', 'b', 'c', 'd'].map((d) => ({ kind: 'integer', name: d, low: 0, high: 8 }) as const),
      (c) => c['a'] !== c['b'],
    );
    const cost = (c: Configuration) =>
      1 +
      [3, 7, 1, 5].reduce((sum, at, d) => sum + (Number(c['abcd'[d]!]) - at) ** 2, 0) +
      Number(c['a']) * Number(c['c']);
    const costs = Array.from({ length: space.size }, (_, i) => space.at(i))
      .filter((c) => space.contains(c))
      .map(cost)
      .sort((a, b) => a - b);
    const outcome = (c: Configuration): Outcome => ({ kind: 'value', value: cost(c) });
    const found = Array.from({ length: 16 }, (_, i) => i + 1).map((seed) => {
      const asked = run(OPTIMIZERS[name]!(space, seed), outcome, 60);
      return costs[0]! / Math.min(...asked.map(cost));
    });
    const mean = found.reduce((sum, f) => sum + f, 0) / found.length;
    expect(mean).toBeGreaterThan(1.2 * expectedOfRandom(costs, 60));
  },
);

test('greedy climbs: from the default it meets the optimum of a smooth space in a small part of it', () => {
  const powers = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  const space = new Space(['A', 'B', 'C'].map((name) => ({ kind: 'ordinal', name, values: powers }) as const));
  const start = { A: 1, B: 1, C: 1 };
  const cost = (c: Configuration) =>
    Math.abs(Math.log2(Number(c.A)) - 6) + Math.abs(Math.log2(Number(c.B)) - 3) + Math.abs(Math.log2(Number(c.C)) - 8);
  for (let seed = 0; seed < 10; ++seed) {
    const asked = run(greedySearch(space, seed, start), (c) => ({ kind: 'value', value: cost(c) }), 100);
    expect(Math.min(...asked.map(cost))).toBe(0);
    expect(asked[0]).toEqual(start);
  }
});

test('greedy puts off a constant that says what is computed: each other value of it is tried once, the rest first', () => {
  const space = new Space([
    { kind: 'ordinal', name: 'BLOCK', values: [32, 64, 128, 256, 512, 1024] },
    { kind: 'ordinal', name: 'TAPS', values: [2, 4, 5, 8] },
    { kind: 'ordinal', name: 'ITEMS', values: [1, 2, 4, 8] },
  ]);
  const outcome = ({ BLOCK, TAPS, ITEMS }: Configuration): Outcome =>
    TAPS === 5 ? { kind: 'value', value: Math.abs(Number(BLOCK) - 256) + Number(ITEMS) } : { kind: 'failed' };
  for (let seed = 0; seed < 8; ++seed) {
    const order = run(greedySearch(space, seed, { BLOCK: 32, TAPS: 5, ITEMS: 4 }), outcome, Infinity);
    expect(order).toHaveLength(space.size);
    const untilAllCorrectAreKnown = order.slice(
      0,
      order.findLastIndex((c) => c.TAPS === 5),
    );
    expect(untilAllCorrectAreKnown.filter((c) => c.TAPS !== 5).length).toBeLessThanOrEqual(6);
  }
});

test('neighbours differ in one dimension, by one step where order matters', () => {
  const space = new Space(
    [
      { kind: 'ordinal', name: 'n', values: [256, 64, 128] },
      { kind: 'categorical', name: 'layout', values: ['row', 'column', 'tiled'] },
      { kind: 'boolean', name: 'unroll' },
    ],
    (c) => c.layout !== 'column',
  );
  expect(space.neighbours({ n: 64, layout: 'row', unroll: true })).toEqual([
    { n: 128, layout: 'row', unroll: true },
    { n: 64, layout: 'tiled', unroll: true },
    { n: 64, layout: 'row', unroll: false },
  ]);
  expect(space.count(100)).toBe(12);
  expect(space.count(5)).toBe(5);
  expect(space.contains({ n: 64, layout: 'column', unroll: true })).toBe(false);
  expect(space.contains({ n: 64, layout: 'row' })).toBe(false);
  expect(space.contains({ n: 64, layout: 'row', unroll: true, more: 1 })).toBe(false);
});

test('a space says what is wrong with it', () => {
  const make = (...dimensions: Dimension[]) => new Space(dimensions);
  expect(() => make({ kind: 'ordinal', name: 'a', values: [] })).toThrow('dimension a has no values');
  expect(() => make({ kind: 'ordinal', name: 'a', values: [1, 1] })).toThrow('dimension a repeats a value');
  expect(() => make({ kind: 'boolean', name: 'a' }, { kind: 'boolean', name: 'a' })).toThrow(
    'dimension a is given twice',
  );
  expect(() => make({ kind: 'integer', name: 'a', low: 0, high: 2.5 })).toThrow('dimension a needs whole');
  const wide = (name: string) => ({ kind: 'integer', name, low: 1, high: 2 ** 16 }) as const;
  expect(() => make(wide('a'), wide('b'), wide('c'), wide('d'))).toThrow('more than 2^53 points');
});

test('an ask stays quick in a large space where only the default works', () => {
  const six = [0, 1, 2, 3, 4, 5];
  const space = new Space(six.concat(six).map((_, i) => ({ kind: 'ordinal', name: `d${i}`, values: six })));
  const start = space.at(0);
  const optimizer = greedySearch(space, 1, start);
  optimizer.tell(start, { kind: 'value', value: 1 });
  let looked = 0;
  const contains = space.contains.bind(space);
  space.contains = (configuration) => (++looked, contains(configuration));
  const asked = run(optimizer, () => ({ kind: 'failed' }), 300);
  expect(new Set(asked.map((c) => JSON.stringify(c))).size).toBe(300);
  // Without a limit each ask would look at millions.
  expect(looked).toBeLessThan(100_000);
});
