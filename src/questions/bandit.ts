// What a question is believed to be worth at a moment: a normal model whose means lean on those of the level above, and draws
// from it (Thompson, "On the likelihood that one unknown probability exceeds another in view of the evidence of two samples",
// Biometrika 25, 1933; with a hierarchy of means as in Hong, Kveton, Zaheer and Ghavamzadeh, "Hierarchical Bayesian Bandits",
// AISTATS 2022). See docs/questions.md.
import type { RandomSource } from '../search/random-source.js';
import type { MomentKind, Question, Tally } from './types.js';

/** How many observations a mean needs to weigh as much as the one it leans on. Chosen by the trials of learning.test.ts. */
const PRIOR_WEIGHT = 16;

/** Standard deviation of a gain before anything is known: log 1.1, and how many observations that belief weighs. */
const PRIOR_DEVIATION = Math.log(1.1);
const DEVIATION_WEIGHT = 4;

/** Mean and standard deviation of the belief about a gain's mean. */
export interface Belief {
  mean: number;
  deviation: number;
}

export interface Beliefs {
  about(question: Question, moment: MomentKind): Belief;
  /** Standard deviation of the belief about a question of which nothing is known. */
  readonly unknown: number;
}

interface Sums {
  count: number;
  sum: number;
}

/** Beliefs after some gains. Silence takes no part here: only questions are compared with each other. */
export function beliefsFrom(tallies: readonly Tally[]): Beliefs {
  const sums = new Map<string, Sums>();
  const add = (key: string, { count, sum }: Sums): void => {
    const old = sums.get(key);
    sums.set(key, { count: (old?.count ?? 0) + count, sum: (old?.sum ?? 0) + sum });
  };
  const asked = tallies.filter((t) => t.level !== undefined);
  // Moments differ in what follows them whoever asks; what is left after their means is the question's.
  const meanOf = momentMeans(asked);
  let squares = PRIOR_DEVIATION ** 2 * DEVIATION_WEIGHT;
  let weight = DEVIATION_WEIGHT;
  for (const tally of asked) {
    const { count, level, intent, question, moment } = tally;
    const mean = meanOf(moment);
    const centred = { count, sum: tally.sum - count * mean };
    squares += tally.squares - 2 * mean * tally.sum + count * mean ** 2;
    weight += count;
    add(`level ${level}`, centred);
    if (intent !== undefined) add(`intent ${level} ${intent}`, centred);
    if (question === undefined) continue;
    add(`question ${question}`, centred);
    add(`here ${question} ${moment}`, centred);
  }
  const deviation = Math.sqrt(Math.max(squares / weight, 1e-8));
  return {
    unknown: deviation / Math.sqrt(PRIOR_WEIGHT),
    about({ id, level, intent }, moment) {
      let mean = 0;
      for (const key of [`level ${level}`, `intent ${level} ${intent}`, `question ${id}`, `here ${id} ${moment}`]) {
        const { count, sum } = sums.get(key) ?? { count: 0, sum: 0 };
        mean = (PRIOR_WEIGHT * mean + sum) / (PRIOR_WEIGHT + count);
      }
      // However much is known of its level: a question that was never asked is uncertain itself.
      const own = sums.get(`question ${id}`)?.count ?? 0;
      return { mean, deviation: deviation / Math.sqrt(PRIOR_WEIGHT + own) };
    },
  };
}

/** Mean gain of all questions at each kind of moment. */
function momentMeans(tallies: readonly Tally[]): (moment: MomentKind) => number {
  const sums = new Map<MomentKind, Sums>();
  for (const { moment, count, sum } of tallies) {
    const old = sums.get(moment) ?? { count: 0, sum: 0 };
    sums.set(moment, { count: old.count + count, sum: old.sum + sum });
  }
  return (moment) => {
    const { count, sum } = sums.get(moment) ?? { count: 0, sum: 0 };
    return sum / (count + PRIOR_WEIGHT);
  };
}

/** A standard normal variate (Box and Muller, "A note on the generation of random normal deviates", 1958). */
export function standardNormal(random: RandomSource): number {
  // 1 - u lies in (0, 1], whose logarithm is finite.
  return Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());
}
