// Eigenvectors by their definition, and what CMA-ES must do whatever the function.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bipopRuns } from './bipop.js';
import { CmaEs, defaultPopulation } from './cma-es.js';
import { eigen } from './eigen.js';
import { RandomSource } from './random-source.js';

test('eigenvalues of a matrix whose are known', () => {
  const { values } = eigen([
    [2, -1, 0],
    [-1, 2, -1],
    [0, -1, 2],
  ]);
  [2 - Math.SQRT2, 2, 2 + Math.SQRT2].forEach((v, i) =>
    expect([...values].sort((a, b) => a - b)[i]).toBeCloseTo(v, 12),
  );
});

test('values and vectors are those of the matrix, and the vectors orthonormal', () => {
  const entry = fc.double({ min: -10, max: 10, noNaN: true });
  const matrix = fc
    .integer({ min: 1, max: 7 })
    .chain((n) => fc.array(fc.array(entry, { minLength: n, maxLength: n }), { minLength: n, maxLength: n }));
  fc.assert(
    fc.property(matrix, (raw) => {
      const symmetric = raw.map((row, i) => row.map((v, j) => v + raw[j]![i]!));
      const { values, vectors } = eigen(symmetric);
      for (const k of values.keys()) {
        const vector = vectors.map((row) => row[k]!);
        const image = symmetric.map((row) => row.reduce((sum, v, i) => sum + v * vector[i]!, 0));
        image.forEach((v, i) => expect(Math.abs(v - values[k]! * vector[i]!)).toBeLessThan(1e-9));
        for (const l of values.keys()) {
          const product = vectors.reduce((sum, row) => sum + row[k]! * row[l]!, 0);
          expect(Math.abs(product - Number(k === l))).toBeLessThan(1e-9);
        }
      }
    }),
  );
});

function minimize(run: CmaEs, f: (x: readonly number[]) => number): number {
  let best = Infinity;
  while (!run.shouldStop()) {
    const samples = run.ask();
    const costs = samples.map(f);
    best = Math.min(best, ...costs);
    run.tell(samples, costs);
  }
  return best;
}

test('an ill-conditioned rotated ellipsoid is solved, and only the order of the costs matters', () => {
  const f = (x: readonly number[]) => (x[0]! + x[1]!) ** 2 + 1e6 * (x[0]! - x[1]! - 1) ** 2;
  const make = () => new CmaEs({ mean: [3, 3], sigma: 2 }, new RandomSource(3));
  const run = make();
  expect(minimize(run, f)).toBeLessThan(1e-9);
  expect(run.mean[0]).toBeCloseTo(0.5, 4);
  expect(run.evaluations).toBeLessThan(1200);
  const [plain, warped] = [make(), make()];
  for (let i = 0; i < 30; ++i) {
    const samples = plain.ask();
    expect(warped.ask()).toEqual(samples);
    plain.tell(samples, samples.map(f));
    warped.tell(
      samples,
      samples.map((x) => Math.log(f(x))),
    );
  }
});

test('a flat function stops a run; a least deviation keeps it sampling', () => {
  const run = new CmaEs({ mean: [0, 0], sigma: 1 }, new RandomSource(1));
  minimize(run, () => 1);
  expect(run.generation).toBeLessThan(100);
  const kept = new CmaEs({ mean: [0.2, 0.2], sigma: 1, least: [0.3, 0.3] }, new RandomSource(1));
  for (let i = 0; i < 200; ++i) {
    const samples = kept.ask();
    kept.tell(
      samples,
      samples.map((x) => x[0]! ** 2 + x[1]! ** 2),
    );
  }
  const spread = kept.ask().map((x) => x[0]!);
  expect(Math.max(...spread) - Math.min(...spread)).toBeGreaterThan(0.1);
});

test('restarts: small populations until they have had as much as the large, which double', () => {
  const runs = bipopRuns({ dimension: 2, sigma: 1, start: () => [0, 0], restarts: 3 }, new RandomSource(5));
  const populations: number[] = [];
  for (const run of runs) {
    populations.push(run.population);
    minimize(run, ([a, b]) => Math.sin(9 * a!) + Math.cos(7 * b!));
  }
  expect(populations[0]).toBe(defaultPopulation(2));
  const base = defaultPopulation(2);
  const large = populations.filter((p) => p >= 2 * base);
  expect(large.filter((p) => [2, 4, 8].includes(p / base)).length).toBeGreaterThanOrEqual(3);
  expect(populations.length).toBeGreaterThan(4);
});
