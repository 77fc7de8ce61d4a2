// Picking learns: beside blind picking it gains more where questions differ.
import { expect, test } from 'vitest';
import { RandomSource } from '../search/random-source.js';
import { standardNormal } from './bandit.js';
import { talliesOf, type Observation } from './credit.js';
import { offer } from './pick.js';
import { shippedQuestions } from './repertoire.js';
import { LEVELS, type Level, type Question } from './types.js';

const questions = shippedQuestions();
const MOMENTS_OF_A_SESSION = 12;

/** Gains as sessions have them: none three times in four, else by some tens of percent; what a question is worth scales them. */
function gainAfter(worth: number, random: RandomSource): number {
  return random.unit() < 0.75 ? 0 : worth * Math.exp(-1.5 + 0.5 * standardNormal(random));
}

/** Mean gain a question over many sessions, picking with what was learned before or without. */
function meanGain(worthOf: (q: Question) => number, learns: boolean, seed: number): number {
  const random = new RandomSource(seed);
  const known: Observation[] = [];
  const sessions = 40;
  for (let session = 0; session < sessions; ++session) {
    const tallies = learns ? talliesOf(known) : [];
    const asked: { question: string; level: Level; moment: 'plateau'; isStale: boolean }[] = [];
    for (let number = 1; number <= MOMENTS_OF_A_SESSION; ++number) {
      const standing = { has: new Set<never>(), visited: new Set<Level>(LEVELS), asked };
      const [q] = offer({
        questions,
        moment: { kind: 'plateau' },
        number,
        standing,
        tallies,
        seed: seed + session,
      }).offered;
      if (!q) break;
      asked.push({ question: q.id, level: q.level, moment: 'plateau', isStale: false });
      const gain = gainAfter(worthOf(q), random);
      known.push({
        session: `s${session}`,
        moment: `m${number}`,
        kind: 'plateau',
        silent: false,
        question: q.id,
        level: q.level,
        intent: q.intent,
        informed: false,
        gain,
        through: 1,
      });
    }
  }
  // The last half: what came of learning, not what it cost.
  const late = known.slice(known.length / 2);
  return late.reduce((sum, o) => sum + o.gain, 0) / late.length;
}

const seeds = [1, 2, 3, 4, 5];
const ratio = (worthOf: (q: Question) => number) => {
  const total = (learns: boolean) => seeds.reduce((sum, seed) => sum + meanGain(worthOf, learns, seed * 1000), 0);
  return total(true) / total(false);
};

test('where two levels are worth three times the others, it comes to ask there', () => {
  expect(ratio((q) => (q.level === 'data-movement' || q.level === 'overlap' ? 3 : 1))).toBeGreaterThan(1.25);
});

test('where single questions are worth three times the others, whatever their level, it finds them', () => {
  expect(ratio((q) => (q.id.length % 4 === 0 ? 3 : 1))).toBeGreaterThan(1.1);
});
