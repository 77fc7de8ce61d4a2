// What a session has measured, and the levels it has been to. A level counts as visited only by a measured candidate.
import type { Verdict } from '../../remote-runner/protocol.js';
import { candidateOf, verdictOf, type CandidateState, type SessionState } from '../session/fold.js';
import { LEVELS, type Level } from './types.js';

/** Levels that an edit can change: the objective is not the candidate's to change. */
export const EDITABLE_LEVELS: readonly Level[] = LEVELS.filter((level) => level !== 'objective');

/** The verdict of a candidate that is correct and timed; undefined for all others. */
export function measured(candidate: CandidateState): Verdict | undefined {
  const verdict = verdictOf(candidate);
  const isMeasured = verdict?.status === 'correct' && verdict.scenarios.some((s) => s.timing !== undefined);
  return isMeasured ? verdict : undefined;
}

/** Levels that measured candidates have changed, in the order of LEVELS. */
export function visitedLevels(state: Readonly<SessionState>): Level[] {
  const seen = new Set<Level>();
  for (const candidate of state.candidates) {
    if (candidate.levels?.some((level) => !seen.has(level)) === true && measured(candidate)) {
      for (const level of candidate.levels) seen.add(level);
    }
  }
  return EDITABLE_LEVELS.filter((level) => seen.has(level));
}

/** Levels that no measured candidate has changed, the exempt one left out. */
export function unvisitedLevels(state: Readonly<SessionState>): Level[] {
  const seen = new Set(visitedLevels(state));
  return EDITABLE_LEVELS.filter((level) => !seen.has(level));
}

/** The candidate judged last; undefined before the first verdict. Evaluations are queued, so the last one made is it. */
export function lastJudged(state: Readonly<SessionState>): CandidateState | undefined {
  return state.candidates.findLast((c) => verdictOf(c) !== undefined);
}

/** The best confirmed candidate with its verdict. */
export function incumbentOf(
  state: Readonly<SessionState>,
): { candidate: CandidateState; verdict: Verdict } | undefined {
  const candidate = candidateOf(state, state.incumbent);
  return candidate?.confirmed && { candidate, verdict: candidate.confirmed };
}
