// The bench against what is known without it: random search in closed form, a search that is told the answer, leaving out.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { optimizer } from '../search/optimizer.js';
import { recordedSpace } from './jobs.js';
import { expectedOfRandom, replay } from './replay.js';
import { benchLeftOut, benchSpaces, type SpacesOptions } from './spaces.js';
import { curveLines } from './table.js';

const folder = path.resolve('test/fixtures/spaces');
const A4000 = path.join(folder, 'convolution_milo-A4000.json.gz');
const W6600 = path.join(folder, 'dedispersion_milo-W6600.json.gz');
const options: SpacesOptions = {
  files: [A4000, W6600],
  optimizers: ['random', 'surrogate'],
  seeds: 4,
  budgets: [10, 60],
  threads: 'inline',
  onProgress: () => undefined,
};

// Closed form by another program, published with the recordings.
test.each([
  ['convolution_milo-A100', [0.6267, 0.6734, 0.724, 0.7797, 0.8374]],
  ['convolution_milo-A4000', [0.715, 0.7726, 0.8288, 0.8847, 0.9376]],
  ['dedispersion_milo-W6600', [0.887, 0.9086, 0.9277, 0.944, 0.9576]],
  ['gemm_kt-RTX_3090', [0.7536, 0.7995, 0.8375, 0.8699, 0.8978]],
])('what random search expects on %s', (name, expected) => {
  const { costs } = recordedSpace(path.join(folder, `${name}.json.gz`));
  [25, 50, 100, 200, 400].forEach((n, i) => expect(expectedOfRandom(costs, n)).toBeCloseTo(expected[i]!, 4));
});

test('what random search expects, by all draws of two of three', () => {
  expect(expectedOfRandom([1, 2, Infinity], 2)).toBeCloseTo((1 + 1 + 0.5) / 3, 12);
  expect(expectedOfRandom([1, 2], 9)).toBe(1);
});

test('a replay counts failures, keeps the best, and goes on at the end of a search', () => {
  const { kernel, space, costs, best, outcome } = recordedSpace(A4000);
  const all = Array.from({ length: space.size }, (_, i) => space.at(i)).filter((c) => space.contains(c));
  const of = (kind: string) => all.filter((c) => outcome(c).kind === kind);
  const listed = [of('invalid')[0]!, of('value')[0]!];
  const fractions = replay(
    { kernel, device: '', space, costs, best, outcome },
    optimizer(space, function* () {
      for (const c of listed) yield [c];
    }),
    4,
  );
  const first = outcome(listed[1]!);
  const fraction = first.kind === 'value' ? best / first.value : NaN;
  expect(fractions).toEqual([0, fraction, fraction, fraction]);
});

describe('bench spaces', () => {
  test('the default search is ahead of random search, which has what it expects within its interval', async () => {
    const report = await benchSpaces(options);
    const { random, surrogate } = report.average;
    expect(surrogate!.fraction[1]!.low).toBeGreaterThan(random!.fraction[1]!.high);
    expect(surrogate!.normalized[1]!.mean).toBeGreaterThan(0.4);
    const [first] = report.spaces;
    expect(Math.abs(first!.fraction[1]!.mean - first!.random[1]!)).toBeLessThan(4 * first!.fraction[1]!.error);
    expect(curveLines(report).join('\n')).toMatch(/mean of 2 spaces[^]*surrogate +0\.\d{3} ±0\.\d{3}/);
  });

  test('settings are chosen on other kernels, and one kernel alone is refused', async () => {
    await expect(benchLeftOut({ ...options, files: [A4000] })).rejects.toThrow('two kernels or more');
  });
});
