// The functions against COCO's own values, and the expected running time of CMA-ES on two of them against pycma's.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runCma, runningTimes } from '../ert.js';
import { bbob } from './functions.js';

interface Reference {
  function: number;
  dimension: number;
  instance: number;
  fopt: number;
  xopt: number[];
  points: { x: number[]; f: number }[];
}
const read = (name: string): unknown =>
  JSON.parse(gunzipSync(readFileSync(`test/fixtures/bbob/${name}.json.gz`)).toString());
const references = read('values') as Reference[];

test.each(Array.from({ length: 24 }, (_, i) => i + 1))('function %d has the values of the reference code', (number) => {
  const own = references.filter((r) => r.function === number);
  expect(own).toHaveLength(20);
  for (const { dimension, instance, fopt, xopt, points } of own) {
    const { best, evaluate } = bbob(number, dimension, instance);
    expect(best).toBeCloseTo(fopt, 10);
    for (const { x, f } of [...points, { x: xopt, f: fopt }]) {
      expect(Math.abs(evaluate(x) - f), `${dimension}, ${instance}, ${x.join()}`).toBeLessThanOrEqual(
        1e-9 * Math.max(1, Math.abs(f)),
      );
    }
  }
});

test('there is no function 25, and none of one dimension', () => {
  expect(() => bbob(25, 2, 1)).toThrow('no BBOB function 25');
  expect(() => bbob(1, 1, 1)).toThrow('of dimension 1');
});

test('CMA-ES takes as many evaluations as pycma on easy functions', () => {
  const { ert } = read('pycma-ert') as { ert: Record<string, Record<string, { ert: number }>> };
  const ratios = [1, 2, 10, 11].map((number) => {
    const runs = [1, 2, 3, 4, 5].flatMap((instance) =>
      [1, 2].map((seed) => runCma({ function: number, dimension: 2, instance, seed })),
    );
    const mine = runningTimes(runs).at(-1)!;
    expect(mine.successes).toBe(10);
    return Math.log(mine.ert / ert[`f${number}-d2`]!['1e-05']!.ert);
  });
  const mean = Math.exp(ratios.reduce((sum, r) => sum + r, 0) / ratios.length);
  expect(mean).toBeGreaterThan(0.85);
  expect(mean).toBeLessThan(1.15);
});
