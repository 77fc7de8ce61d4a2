// The generator against its published test vector, and what is built on it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RandomSource } from './random-source.js';

test('xoshiro128** gives the reference output for the state 1, 2, 3, 4', () => {
  const source = RandomSource.fromState([1, 2, 3, 4]);
  expect(Array.from({ length: 8 }, () => source.uint32())).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849,
  ]);
});

test('one seed, one sequence; another seed, another', () => {
  const first = (seed: number) => {
    const source = new RandomSource(seed);
    return Array.from({ length: 4 }, () => source.uint32()).join();
  };
  fc.assert(fc.property(fc.maxSafeInteger(), (seed) => first(seed) === first(seed)));
  const seeds = [0, 1, 2, -1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
  expect(new Set(seeds.map(first)).size).toBe(seeds.length);
});

test('below is uniform: chi-square over 10 cells, 99.9 % quantile 27.9', () => {
  const source = new RandomSource(7);
  const cells = Array.from({ length: 10 }, () => 0);
  for (let i = 0; i < 10_000; ++i) {
    const cell = source.below(10);
    cells[cell] = (cells[cell] ?? 0) + 1;
  }
  expect(cells.reduce((sum, n) => sum + (n - 1000) ** 2 / 1000, 0)).toBeLessThan(27.9);
});

test('shuffled keeps every item', () => {
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.integer()), (seed, items) => {
      const sorted = (xs: number[]) => [...xs].sort((a, b) => a - b);
      expect(sorted(new RandomSource(seed).shuffled(items))).toEqual(sorted(items));
    }),
  );
});
