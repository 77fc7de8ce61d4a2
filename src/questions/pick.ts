// Which questions are offered at a moment, and whether any is. The same state, seed and credit give the same offer. Pure.
import { RandomSource } from '../search/random-source.js';
import { beliefsFrom, standardNormal } from './bandit.js';
import { levelsLeft, type Standing } from './standing.js';
import { NEVER_SILENT, type Level, type Moment, type MomentKind, type Question, type Tally } from './types.js';

/** Share of the moments at which nothing is asked, so that asking has something to be compared with. */
export const SILENT_SHARE = 1 / 5;

/** Alternatives of one offer; no two of them are of one level. */
export const ALTERNATIVES = 3;

export interface OfferInput {
  /** What may be asked: `unmuted(repertoire)`. */
  questions: readonly Question[];
  moment: Pick<Moment, 'kind'>;
  /** The moment's number in its session, from 1: part of the seed. */
  number: number;
  standing: Standing;
  /** What earlier sessions taught (the trace's `credit`) and this one so far. */
  tallies: readonly Tally[];
  /** The session's seed. */
  seed: number;
  /** Ids that were offered at this moment before and refused: for "another". */
  refused?: readonly string[];
}

export interface Offer {
  /** False: the draw leaves this moment in silence, or nothing fits. */
  asked: boolean;
  /** Best first; empty where nothing fits. In silence: what would have been offered. */
  offered: Question[];
}

/** Draws for one moment. Ask again with `refused` for other alternatives; whether to ask does not change by that. */
export function offer({ questions, moment, number, standing, tallies, seed, refused = [] }: OfferInput): Offer {
  const random = new RandomSource(new RandomSource(seed).uint32() + 2 ** 32 * number);
  const isSilent = random.unit() < SILENT_SHARE && !NEVER_SILENT.includes(moment.kind);
  const fitting = eligible(questions, moment.kind, standing);
  const beliefs = beliefsFrom(tallies);
  const unvisited = new Set(levelsLeft(standing));
  // Every fitting question draws, refused or not, so that one more refusal does not reshuffle the rest.
  const scored = fitting.map((question) => {
    const { mean, deviation } = beliefs.about(question, moment.kind);
    const novelty = unvisited.has(question.level) ? beliefs.unknown / (1 + timesAsked(standing, question.level)) : 0;
    return { question, score: mean + deviation * standardNormal(random) + novelty };
  });
  scored.sort((a, b) => b.score - a.score);
  const offered: Question[] = [];
  for (const { question } of scored) {
    if (refused.includes(question.id) || offered.some((o) => o.level === question.level)) continue;
    offered.push(question);
    if (offered.length === ALTERNATIVES) break;
  }
  return { asked: offered.length > 0 && !isSilent, offered };
}

/** The questions that make sense now and were not put since the last new best. */
export function eligible(questions: readonly Question[], kind: MomentKind, standing: Standing): Question[] {
  const fresh = new Set(standing.asked.flatMap((a) => (a.isStale || a.question === undefined ? [] : [a.question])));
  const levels = kind === 'wish-to-stop' ? stopLevels(standing) : undefined;
  return questions.filter(
    (q) =>
      q.moments.includes(kind) &&
      q.needs.every((need) => standing.has.has(need)) &&
      !fresh.has(q.id) &&
      (!levels || levels.includes(q.level)),
  );
}

/** A wish to stop meets one question for each level that no measured candidate has visited. */
function stopLevels(standing: Standing): Level[] {
  const met = standing.asked.flatMap((a) => (a.moment === 'wish-to-stop' ? [a.level] : []));
  return levelsLeft(standing).filter((level) => !met.includes(level));
}

function timesAsked({ asked }: Standing, level: Level): number {
  return asked.filter((a) => a.level === level).length;
}
