// Effects with intervals that are honest with few observations.
import { expect, test } from 'vitest';
import { standardNormal } from './bandit.js';
import type { Observation } from './credit.js';
import { effectsBy } from './effects.js';
import { RandomSource } from '../search/random-source.js';
import type { MomentKind } from './types.js';

let number = 0;
const observed = (gain: number, of: Partial<Observation> = {}): Observation => ({
  session: 's',
  moment: `m${++number}`,
  kind: 'plateau',
  silent: false,
  question: 'q',
  level: 'launch',
  informed: false,
  gain,
  through: 1,
  ...of,
});
const silent = (gain: number, kind: MomentKind = 'plateau') =>
  observed(gain, { silent: true, question: undefined, level: undefined, kind });
const effectOf = (observations: Observation[]) => effectsBy(observations, (o) => o.question).get('q')!;

test('one kind of moment: the two-sample t interval with pooled variance', () => {
  // Means 0.3 and 0.1, pooled variance (0.02 + 0.02) / 4 = 0.01, t(0.975, 4) = 2.776, half = 2.776 · √(0.01 · 2/3).
  const { difference, half, count, silences } = effectOf([
    ...[0.2, 0.3, 0.4].map((g) => observed(g)),
    ...[0, 0.1, 0.2].map((g) => silent(g)),
  ]);
  expect(difference).toBeCloseTo(0.2, 10);
  expect(half).toBeCloseTo(2.776 * Math.sqrt((0.01 * 2) / 3), 3);
  expect([count, silences]).toEqual([3, 3]);
});

test('gains are compared within a kind of moment only', () => {
  const all = [
    observed(1, { kind: 'opening' }),
    observed(1.2, { kind: 'opening' }),
    silent(1, 'opening'),
    silent(1.2, 'opening'),
    observed(0),
    observed(0.02),
    silent(0),
    silent(0.02),
    ...[0, 0, 0, 0].map((g) => silent(g)),
  ];
  const { difference } = effectOf(all);
  expect(difference).toBeCloseTo((0 + 0.01 - 0.02 / 6) / 2, 10);
});

test('facts earn nothing, and are counted apart', () => {
  const effect = effectOf([observed(0), observed(5, { informed: true }), silent(0), silent(0.1)]);
  expect(effect).toMatchObject({ count: 1, informed: 1, gain: 0 });
  expect(effectOf([observed(5, { informed: true })])).toMatchObject({ count: 0, informed: 1, silences: 0 });
});

test('without silence there is no difference; without spread there is no interval', () => {
  expect(effectOf([observed(0.1), observed(0.2)])).not.toHaveProperty('difference');
  expect(effectOf([observed(0.1), observed(0.2, { kind: 'limit-claimed' })])).toMatchObject({ count: 2, silences: 0 });
  const flat = effectOf([observed(0), observed(0), silent(0), silent(0)]);
  expect(flat.difference).toBe(0);
  expect(flat).not.toHaveProperty('half');
  expect(effectOf([observed(0.3), silent(0)])).not.toHaveProperty('half');
});

test('two gains of nothing are no certainty where others of the same kind vary', () => {
  const others = [0, 0.3, 0, 0.5].map((g) => observed(g, { question: 'other' }));
  const { half } = effectOf([observed(0), observed(0), silent(0), silent(0), ...others]);
  expect(half).toBeGreaterThan(0.2);
});

test('levels take in questions in one’s own words; moves are counted where they could be told', () => {
  const all = [
    observed(0.1, { moved: true }),
    observed(0.2, { question: undefined, moved: false }),
    observed(0.2, { question: undefined }),
    silent(0),
  ];
  const level = effectsBy(all, (o) => o.level).get('launch')!;
  expect(level).toMatchObject({ count: 3, moved: 1, movedOf: 2 });
});

/** Gains as sessions have them: mostly none, sometimes a factor. */
function sparseGain(random: RandomSource): number {
  return random.unit() < 0.75 ? 0 : Math.exp(-2 + 0.8 * standardNormal(random));
}

test.each([
  ['normal gains', (random: RandomSource) => 0.1 * standardNormal(random)],
  ['mostly no gain', sparseGain],
])('no effect, %s: about 95 of 100 intervals hold 0, with few silences as well', (_, gain) => {
  const random = new RandomSource(11);
  let shown = 0;
  let held = 0;
  for (let run = 0; run < 400; ++run) {
    const all: Observation[] = [];
    for (const kind of ['plateau', 'new-best'] as const) {
      const times = kind === 'plateau' ? 1 : 2;
      for (const question of ['a', 'b', 'c', 'd', 'e', 'f'])
        for (let i = 0; i < 3; ++i) all.push(observed(times * gain(random), { kind, question }));
      for (let i = 0; i < 5; ++i) all.push(silent(times * gain(random), kind));
    }
    for (const { difference, half } of effectsBy(all, (o) => o.question).values()) {
      if (difference === undefined || half === undefined) continue;
      shown += 1;
      if (Math.abs(difference) <= half) held += 1;
    }
  }
  expect(shown).toBeGreaterThan(2000);
  // 2400 correlated intervals: 2 points of slack below the nominal 95 %.
  expect(held / shown).toBeGreaterThan(0.93);
  expect(held / shown).toBeLessThan(0.995);
});
