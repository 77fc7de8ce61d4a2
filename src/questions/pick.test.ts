// Offers: what fits, what is new, what is left in silence; the same seed and state give the same offer.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eligible, offer, type OfferInput } from './pick.js';
import { shippedQuestions } from './repertoire.js';
import type { AskedBefore, Standing } from './standing.js';
import { LEVELS, MOMENTS, NEEDS, NEVER_SILENT, type Level, type MomentKind, type Tally } from './types.js';

const questions = shippedQuestions();
const standing = (of: Partial<Standing> = {}): Standing => ({ has: new Set(), visited: new Set(), asked: [], ...of });
const input = (of: Partial<OfferInput> = {}): OfferInput => ({
  questions,
  moment: { kind: 'plateau' },
  number: 1,
  standing: standing(),
  tallies: [],
  seed: 1,
  ...of,
});
const everything = standing({ has: new Set(NEEDS) });

const anyAsked = fc.record({
  question: fc.constantFrom(...questions.map((q) => q.id)),
  level: fc.constantFrom(...LEVELS),
  moment: fc.constantFrom(...MOMENTS),
  isStale: fc.boolean(),
});
const anyStanding: fc.Arbitrary<Standing> = fc.record({
  has: fc.subarray([...NEEDS]).map((needs) => new Set(needs)),
  visited: fc.subarray([...LEVELS]).map((levels) => new Set(levels)),
  asked: fc.array(anyAsked, { maxLength: 30 }),
});
const anyTally: fc.Arbitrary<Tally> = fc
  .record({
    known: fc.constantFrom(...questions),
    moment: fc.constantFrom(...MOMENTS),
    gains: fc.array(fc.double({ min: -1, max: 3, noNaN: true }), { minLength: 1, maxLength: 6 }),
  })
  .map(({ known: { id, level, intent }, moment, gains }) => ({
    moment,
    question: id,
    level,
    intent,
    count: gains.length,
    sum: gains.reduce((a, b) => a + b, 0),
    squares: gains.reduce((a, b) => a + b * b, 0),
  }));
const anyInput: fc.Arbitrary<OfferInput> = fc.record({
  questions: fc.subarray(questions),
  moment: fc.record({ kind: fc.constantFrom(...MOMENTS) }),
  number: fc.integer({ min: 1, max: 5000 }),
  standing: anyStanding,
  tallies: fc.array(anyTally, { maxLength: 40 }),
  seed: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  refused: fc.subarray(questions.map((q) => q.id)),
});

describe('whatever the state', () => {
  test('at most three, of different levels, each fitting, none refused; the same again for the same input', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const { asked, offered } = offer(given);
        expect(offered.length).toBeLessThanOrEqual(3);
        expect(new Set(offered.map((q) => q.level)).size).toBe(offered.length);
        const fitting = eligible(given.questions, given.moment.kind, given.standing);
        for (const q of offered) {
          expect(fitting).toContain(q);
          expect(given.refused).not.toContain(q.id);
        }
        const left = new Set(fitting.filter((q) => !given.refused?.includes(q.id)).map((q) => q.level));
        expect(offered.length).toBe(Math.min(3, left.size));
        if (asked) expect(offered.length).toBeGreaterThan(0);
        else expect(offered.length === 0 || !NEVER_SILENT.includes(given.moment.kind)).toBe(true);
        expect(offer(given)).toEqual({ asked, offered });
      }),
    );
  });

  test('refusing an alternative brings the next one and leaves the others where they are', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const first = offer({ ...given, refused: [] });
        const [refused] = first.offered;
        if (!refused) return;
        const second = offer({ ...given, refused: [refused.id] });
        expect(second.offered).not.toContain(refused);
        for (const q of first.offered.slice(1)) {
          // Only a question of the same level as the refused one may now stand before it.
          expect(second.offered.includes(q) || second.offered.length === 3).toBe(true);
        }
        expect(second.asked || second.offered.length === 0).toBe(first.asked || second.offered.length === 0);
      }),
    );
  });
});

test('about one moment in five is silent, never one at which somebody waits', () => {
  const numbers = Array.from({ length: 2000 }, (_, i) => i + 1);
  const silent = (kind: MomentKind) =>
    numbers.filter((number) => !offer(input({ number, moment: { kind }, standing: everything })).asked).length;
  // Binomial(2000, 0.2): 400 ± 18; five standard deviations.
  expect(Math.abs(silent('plateau') - 400)).toBeLessThan(90);
  for (const kind of NEVER_SILENT) expect(silent(kind)).toBe(0);
});

test('no question comes again before a new best', () => {
  const [question] = offer(input()).offered;
  const again = (isStale: boolean): AskedBefore => ({
    question: question!.id,
    level: question!.level,
    moment: 'plateau',
    isStale,
  });
  const offeredWith = (asked: AskedBefore[]) => eligible(questions, 'plateau', standing({ asked })).includes(question!);
  expect(offeredWith([again(false)])).toBe(false);
  expect(offeredWith([again(true)])).toBe(true);
  expect(offeredWith([again(true), again(false)])).toBe(false);
});

test('a wish to stop meets every unvisited level once, and then an end', () => {
  const visited = new Set<Level>(['algorithm', 'launch']);
  const asked: AskedBefore[] = [];
  for (;;) {
    const number = asked.length + 1;
    const [next] = offer(
      input({ number, moment: { kind: 'wish-to-stop' }, standing: { ...everything, visited, asked } }),
    ).offered;
    if (!next) break;
    asked.push({ question: next.id, level: next.level, moment: 'wish-to-stop', isStale: false });
  }
  const expected = LEVELS.filter((l) => l !== 'objective' && !visited.has(l));
  expect(asked.map((a) => a.level).sort()).toEqual([...expected].sort());
});

describe('what was learned', () => {
  const share = (id: string, of: Partial<OfferInput>) => {
    const numbers = Array.from({ length: 300 }, (_, i) => i + 1);
    return numbers.filter((number) => offer(input({ number, ...of })).offered[0]?.id === id).length / numbers.length;
  };
  const visited = new Set<Level>(LEVELS);

  test('a question that was followed by gains leads more often, one that never was leads less', () => {
    const one = questions.find((q) => q.id === 'byte-twice')!;
    const tally = (gain: number): Tally[] => [
      {
        moment: 'plateau',
        question: one.id,
        level: one.level,
        intent: one.intent,
        count: 10,
        sum: 10 * gain,
        squares: 10 * gain ** 2,
      },
      {
        moment: 'plateau',
        question: 'why-cut-there',
        level: 'decomposition',
        intent: 'move',
        count: 10,
        sum: 0,
        squares: 0,
      },
    ];
    const fair = share(one.id, { standing: standing({ visited }) });
    expect(share(one.id, { standing: standing({ visited }), tallies: tally(0.5) })).toBeGreaterThan(2 * fair + 0.05);
    const dull = share('why-cut-there', { standing: standing({ visited }), tallies: tally(0.5) });
    expect(dull).toBeLessThan(fair);
  });

  test('a level that was never visited is offered first more often than a visited one', () => {
    const all = LEVELS.filter((l) => l !== 'overlap');
    const first = Array.from(
      { length: 300 },
      (_, i) => offer(input({ number: i + 1, standing: standing({ visited: new Set(all) }) })).offered[0]!.level,
    );
    const fair = Array.from(
      { length: 300 },
      (_, i) => offer(input({ number: i + 1, standing: standing({ visited }) })).offered[0]!.level,
    );
    const count = (levels: Level[]) => levels.filter((l) => l === 'overlap').length;
    expect(count(first)).toBeGreaterThan(1.5 * count(fair));
  });
});
