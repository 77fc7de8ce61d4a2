// What came of each question: the gain of the confirmed best until the next question, and the same for silence. Pure.
import type { CandidateState, MomentState, SessionState } from '../session/fold.js';
import { NEVER_SILENT, type Intent, type Level, type MomentKind, type Tally } from './types.js';

/** One question, or one moment left in silence, and what followed it. */
export interface Observation {
  session: string;
  /** Id of the moment in its session. */
  moment: string;
  kind: MomentKind;
  /** True where the draw asked nothing. */
  silent: boolean;
  /** Id in the repertoire; absent for silence and for questions in someone's own words. */
  question?: string;
  level?: Level;
  intent?: Intent;
  /** The question or its answer supplied facts: it earns nothing. */
  informed: boolean;
  /** Natural logarithm of the speedup of the confirmed best over that before; 0 for no new best. */
  gain: number;
  /** Did the next edit touch a level that the edit before did not? Absent where it could not be told. */
  moved?: boolean;
  /** Sequence number of the last event that it takes account of. */
  through: number;
}

/** Everything a session has to say about its questions so far; what is still open is left out. */
export function creditOf(state: SessionState): Observation[] {
  const observations: Observation[] = [];
  state.moments.forEach((at, i) => {
    const { moment, answer } = at;
    const question = questionPut(at);
    const silent = isSilence(at);
    if (!question && !silent) return;
    const from = (question ?? moment).seq;
    const next = state.moments
      .slice(i + 1)
      .map(questionPut)
      .find((q) => q)?.seq;
    const until = next ?? (isOver(state, from) ? state.lastSeq + 1 : undefined);
    if (until === undefined) return;
    const moved = hasMoved(state.candidates, from, until);
    observations.push({
      session: state.session,
      moment: moment.id,
      kind: moment.kind,
      silent,
      ...(question?.known !== undefined && { question: question.known }),
      ...(question?.level && { level: question.level }),
      ...(question?.intent && { intent: question.intent }),
      informed: question?.informed === true || answer?.informed === true,
      gain: Math.log(speedupBefore(state, until) / speedupBefore(state, from)),
      ...(moved !== undefined && { moved }),
      through: until - 1,
    });
  });
  return observations;
}

/** The question that reached the agent: one that a person chose and then refused did not. */
export function questionPut({ question, told }: MomentState): MomentState['question'] {
  return told ? question : undefined;
}

/** Left in silence by the draw, though something fitted. */
function isSilence({ moment, question }: MomentState): boolean {
  return !moment.asked && !question && moment.offered.length > 0 && !NEVER_SILENT.includes(moment.kind);
}

/**
 * A session that ended closes its last window where something was measured in it, or where the agent itself ended: a budget
 * that ran out at once says nothing about the question.
 */
function isOver(state: SessionState, from: number): boolean {
  if (!state.finished) return false;
  return state.finished.reason === 'agent' || state.candidates.some((c) => (c.judgedSeq ?? 0) > from);
}

/** Confirmed speedup over the original at an event; 1 before there is a best. */
function speedupBefore({ bests }: SessionState, seq: number): number {
  return bests.findLast((b) => b.seq < seq)?.speedup ?? 1;
}

function hasMoved(candidates: readonly CandidateState[], from: number, until: number): boolean | undefined {
  const next = candidates.find((c) => c.seq > from && c.seq < until);
  const before = candidates.findLast((c) => c.seq < from);
  const { levels } = next ?? {};
  if (!levels || (before && !before.levels)) return undefined;
  return levels.some((level) => !before?.levels?.includes(level));
}

/** Sums of the gains that count, as picking reads them; `informed` ones earn nothing. */
export function talliesOf(observations: readonly Observation[]): Tally[] {
  const tallies = new Map<string, Tally>();
  for (const { kind, question, level, intent, informed, gain } of observations) {
    if (informed) continue;
    const key = JSON.stringify([kind, question, level, intent]);
    const tally = tallies.get(key) ?? {
      moment: kind,
      ...(question !== undefined && { question }),
      ...(level && { level }),
      ...(intent && { intent }),
      count: 0,
      sum: 0,
      squares: 0,
    };
    tallies.set(key, {
      ...tally,
      count: tally.count + 1,
      sum: tally.sum + gain,
      squares: tally.squares + gain ** 2,
    });
  }
  return [...tallies.values()];
}
