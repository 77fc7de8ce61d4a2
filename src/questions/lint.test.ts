// The law for what KernelSeek ships, and that the lint sees what breaks it.
import { describe, expect, test } from 'vitest';
import { lintQuestion, lintText, type LintRule } from './lint.js';
import { shippedQuestions } from './repertoire.js';
import { LEVELS, MOMENTS, type Level, type MomentKind, type Question } from './types.js';
import { EDITABLE_LEVELS } from './visited.js';

const shipped = shippedQuestions();
const othersOf = (q: Question) => shipped.filter((o) => o !== q).map((o) => o.text);
const levelsAt = (kind: MomentKind) => new Set(shipped.filter((q) => q.moments.includes(kind)).map((q) => q.level));

describe('the shipped repertoire', () => {
  test.each(shipped)('$id: $text', (q) => {
    expect(lintQuestion(q, othersOf(q))).toEqual([]);
  });

  test('holds at least 70 questions, ids once, every level with both intents', () => {
    expect(shipped.length).toBeGreaterThanOrEqual(70);
    expect(new Set(shipped.map((q) => q.id)).size).toBe(shipped.length);
    for (const level of LEVELS) {
      const own = shipped.filter((q) => q.level === level);
      expect(own.length).toBeGreaterThanOrEqual(7);
      expect(new Set(own.map((q) => q.intent))).toEqual(new Set(['move', 'refuse']));
    }
  });

  test('offers three levels at every moment, whatever is known by then', () => {
    for (const kind of MOMENTS) expect(levelsAt(kind).size).toBeGreaterThanOrEqual(3);
    const bare = shipped.filter((q) => q.moments.includes('opening'));
    expect(bare.filter((q) => q.needs.some((n) => n !== 'scenarios'))).toEqual([]);
  });

  test('answers a claimed limit with a refusal, at any level', () => {
    const answers = shipped.filter((q) => q.moments.includes('limit-claimed'));
    expect(answers.filter((q) => q.intent !== 'refuse')).toEqual([]);
    expect(levelsAt('limit-claimed')).toEqual(new Set(LEVELS));
  });

  test('can meet a wish to stop at every level that can be edited, twice and without any candidate', () => {
    for (const level of EDITABLE_LEVELS) {
      const fit = shipped.filter(
        (q) => q.level === level && q.moments.includes('wish-to-stop') && q.needs.length === 0,
      );
      expect(fit.length).toBeGreaterThanOrEqual(2);
    }
  });

  test('asks in more than one turn: no opening word has more than half of it', () => {
    const openings = new Map<string, number>();
    for (const { text } of shipped) {
      const first = text.split(' ')[0] ?? '';
      openings.set(first, (openings.get(first) ?? 0) + 1);
    }
    expect(openings.size).toBeGreaterThanOrEqual(8);
    expect(Math.max(...openings.values())).toBeLessThanOrEqual(shipped.length / 2);
  });
});

describe('the lint', () => {
  const rulesOf = (text: string, others?: string[]): LintRule[] => [
    ...new Set(lintText(text, others).map((h) => h.rule)),
  ];

  test.each<[string, LintRule]>([
    ['Have you tried double buffering?', 'informs'],
    ['Can we go faster?', 'points-nowhere'],
    ['How can the kernel be made faster?', 'points-nowhere'],
    ['Memory-bound or compute-bound?', 'false-choice'],
    ['What is it bound by, memory or computation?', 'false-choice'],
    ['How can occupancy rise?', 'proxy'],
    ['What keeps the bandwidth down?', 'proxy'],
    ['Are you sure?', 'apology'],
    ['Is that really right? Are you certain?', 'apology'],
    ['Does every byte have to move?', 'open'],
    ['Look at where the time goes.', 'open'],
    ['Tell me which byte travels twice?', 'open'],
    ['The machine waits. What for?', 'one-sentence'],
    ['What waits, and why?', 'one-question'],
    ['What waits? Who pays?', 'one-question'],
    ['What would shared memory change?', 'informs'],
    ['Where would cuBLAS be slower?', 'informs'],
    ['Why are there 64 registers?', 'informs'],
    ['What does tile_a hold that never comes back?', 'informs'],
    ['Why not keep it close?', 'informs'],
    ['Which row is read twice?', 'any-kernel'],
    ['What does the loop do that it need not do?', 'any-kernel'],
    [`What is ${'very '.repeat(20)}far?`, 'length'],
  ])('%s → %s', (text, rule) => {
    expect(rulesOf(text)).toContain(rule);
  });

  test('an empty text, punctuation and a wall of text are hints too, never an exception', () => {
    for (const text of ['', '?', '???', '…', 'a'.repeat(5000), '\u0000', '🙂?']) expect(lintText(text)).not.toEqual([]);
  });

  test.each([
    ['What byte makes the trip twice?', 'Which byte travels twice?'],
    [
      'Where does the machine wait while it does not compute?',
      'What is the machine waiting for while it is not computing?',
    ],
    ['What has each attempt taken for granted so far?', 'What have all attempts so far taken for granted?'],
    ['Whose limit is this?', 'Whose limit is that?'],
    ['What does the compiler wrongly believe?', 'What must the compiler believe that is not true?'],
  ])('%s repeats %s', (text, known) => {
    const hint = lintText(
      text,
      shipped.map((q) => q.text),
    ).find((h) => h.rule === 'near-duplicate');
    expect(hint?.message).toContain(known);
  });

  test.each<[string, Level]>([
    ['Who reads what nobody wrote?', 'data-movement'],
    ['Which of these threads could sleep?', 'overlap'],
  ])('%s is a good one', (text) => {
    expect(
      lintText(
        text,
        shipped.map((q) => q.text),
      ),
    ).toEqual([]);
  });

  test('says what a question takes for granted', () => {
    const needs = (text: string, have: Question['needs']) => lintQuestion({ text, needs: have }).map((h) => h.rule);
    expect(needs('Whose limit is that limit?', [])).toEqual(['presumes']);
    expect(needs('Whose limit is that limit?', ['claim'])).toEqual([]);
    expect(needs('Who lost by this gain?', ['candidate'])).toEqual(['presumes']);
    expect(needs('Which attempts look alike?', ['failure'])).toEqual([]);
  });
});
