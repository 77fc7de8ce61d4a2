// What a session came to as an arm, and means over seeds.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleTrace } from '../../test/support/sample-trace.js';
import { fold } from '../session/fold.js';
import { type ArmRun, geomeanOf, meanOf, runOf, summariesOf } from './arms.js';
import { armLines } from './arms-table.js';

const state = fold(sampleTrace().map((body, i) => ({ ...body, seq: i + 1, at: 1000 * i })))!;
const source = (text: string) => [{ path: 'k.cu', text }];

function run(more: Partial<ArmRun> = {}): ArmRun {
  const tried = { original: source('a\n'), sourcesOf: () => source('a\n'), levelsOf: () => [] };
  return { ...runOf(state, 'k.task.json', tried), ...more };
}

test('a session as an arm: the confirmed gain, its share of correct candidates, levels of measured ones, the way it went', () => {
  const texts = new Map(state.candidates.map((c, i) => [c.id, source(`a\nline ${i}\n`)]));
  const of = runOf(state, 'k.task.json', {
    original: source('a\n'),
    sourcesOf: ({ id }) => texts.get(id) ?? [],
    levelsOf: ({ id }) => (id === 'c1' ? ['launch'] : ['algorithm', 'memory-hierarchy']),
  });
  const judged = state.candidates.filter((c) => c.first);
  const correct = judged.filter((c) => c.first?.status === 'correct');
  expect(of.speedup).toBe(state.candidates.find((c) => c.id === state.incumbent)?.confirmed?.speedup?.value);
  expect(of.speedup).toBeGreaterThan(1);
  expect(of.correctShare).toBe(correct.length / judged.length);
  expect(of.levels).toEqual(correct.length === 1 ? ['launch'] : ['algorithm', 'memory-hierarchy', 'launch']);
  expect(of.tokens).toBe(Object.values(state.usage).reduce((a, b) => a + b, 0));
  // From {a} to {a, line 0}: half; from there to {a, line 1}: two thirds.
  expect(of.pathLength).toBeCloseTo(judged.length === 1 ? 1 / 2 : (1 / 2 + 2 / 3) / 2);
});

test('intervals are those of Student; one run has none', () => {
  expect(meanOf([1, 2, 3])).toMatchObject({ mean: 2, runs: 3 });
  // t(0.975, 2) = 4.3027, s = 1.
  expect(meanOf([1, 2, 3]).high).toBeCloseTo(2 + 4.3027 / Math.sqrt(3), 3);
  expect(meanOf([5])).toEqual({ mean: 5, runs: 1 });
  const positive = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(positive, fc.double({ min: 0.1, max: 10, noNaN: true }), (values, factor) => {
      const [a, b] = [geomeanOf(values), geomeanOf(values.map((v) => v * factor))];
      expect(b.mean).toBeCloseTo(a.mean * factor, 6);
      expect(b.low! / a.low!).toBeCloseTo(factor, 6);
    }),
  );
});

test('arms are compared with the first one seed by seed', () => {
  const runs = [1, 2, 3].flatMap((seed) => [
    run({ arm: 'ask', seed, speedup: seed }),
    run({ arm: 'equipped', seed, speedup: 1.5 * seed, correctShare: undefined }),
  ]);
  const [first, second] = summariesOf(runs);
  expect(first?.overFirst).toBeUndefined();
  // Seeds differ much, but the arms by the same factor in each.
  expect(second?.overFirst?.low).toBeCloseTo(1.5);
  expect(second?.overFirst?.high).toBeCloseTo(1.5);
  expect(second?.speedup.high).toBeGreaterThan(4);
  expect(second?.correctShare).toBeUndefined();
  const lines = armLines(runs, summariesOf(runs));
  expect(lines.findLast((l) => /^equipped +3 /.test(l))).toMatch(/1\.500 \[1\.500, 1\.500\]/);
  expect(lines.filter((l) => /^ask +[123] /.test(l))).toHaveLength(4);
});
