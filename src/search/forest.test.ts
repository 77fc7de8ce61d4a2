// A forest on what can be told without it.
import { expect, test } from 'vitest';
import { Forest } from './forest.js';
import { RandomSource } from './random-source.js';

const grid = Array.from({ length: 100 }, (_, i) => Float64Array.of((i % 10) / 9, Math.floor(i / 10) / 9));

test('learns a corner, and finds alike what falls into the same leaves', () => {
  const isIn = (row: Float64Array) => row[0]! > 0.6 && row[1]! < 0.4;
  const forest = Forest.grow(grid, grid.map(isIn), 50, new RandomSource(1));
  const wrong = grid.filter((row) => forest.probability(row) > 0.5 !== isIn(row));
  expect(wrong.length).toBeLessThanOrEqual(3);
  const [inside, beside, outside] = [Float64Array.of(0.9, 0.1), Float64Array.of(0.95, 0.1), Float64Array.of(0.1, 0.9)];
  expect(forest.proximity(inside, inside)).toBe(1);
  expect(forest.proximity(inside, beside)).toBeGreaterThan(0.5);
  expect(forest.proximity(inside, outside)).toBe(0);
});

test('with one class only, the probability is that class', () => {
  for (const label of [true, false]) {
    const forest = Forest.grow(
      grid,
      grid.map(() => label),
      5,
      new RandomSource(1),
    );
    expect(forest.probability(grid[7]!)).toBe(Number(label));
  }
});
