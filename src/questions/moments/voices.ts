// Moments that somebody brings about: a limit is claimed, the agent wishes to stop, a person interrupts.
import { milliseconds } from '../../report/numbers.js';
import { counted } from '../../session/ask/text.js';
import type { SessionState } from '../../session/fold.js';
import { EDITABLE_LEVELS, incumbentOf, lastJudged, unvisitedLevels } from '../visited.js';
import type { Level } from '../types.js';
import { LEVEL_WORDS, listed, quoted } from '../words.js';
import { standing } from './budget.js';
import { lastMoment, type Detector } from './detector.js';

/** A claim that no moment has met yet. */
export const limitClaimed: Detector = (state) => {
  const claim = state.claims.at(-1);
  if (!claim || claim.seq < (lastMoment(state, 'limit-claimed')?.seq ?? 0)) return undefined;
  const best = incumbentOf(state);
  return {
    evidence: `The agent claims a limit, ${quoted(claim.text)}${beside(state, claim.floorMs)}.`,
    ...(best && { candidate: best.candidate.id }),
  };
};

/** How far the best, else the original, is from the floor in the scenario where that is furthest. */
function beside(state: Readonly<SessionState>, floorMs: Readonly<Record<string, number>> | undefined): string {
  const best = incumbentOf(state);
  const verdict = best?.verdict ?? state.baseline;
  let worst: { id: string; floor: number; ms: number } | undefined;
  for (const { id, timing, heldOut } of verdict?.scenarios ?? []) {
    const floor = floorMs?.[id];
    if (!timing || heldOut === true || floor === undefined || !(floor > 0)) continue;
    if (!worst || timing.candidateMs / floor > worst.ms / worst.floor) worst = { id, floor, ms: timing.candidateMs };
  }
  if (!worst || verdict?.emulated === true) return '; what work and device allow is not known here';
  return (
    `; by work and device ${worst.id} takes at least ${milliseconds(worst.floor)} ms, ` +
    `${best ? best.candidate.id : 'the original'} takes ${milliseconds(worst.ms)} ms, ` +
    `${(worst.ms / worst.floor).toFixed(1)} times that`
  );
}

/**
 * Levels that a wish to stop is still to be met with: neither visited nor asked about at an earlier wish. A wish that led to no
 * question about such a level uses up one of them all the same, so that stopping is always possible in the end.
 */
export function levelsBeforeStop(state: Readonly<SessionState>): Level[] {
  const wishes = state.moments.filter((m) => m.moment.kind === 'wish-to-stop');
  const asked = new Set(wishes.flatMap((m) => m.question?.level ?? []));
  const unvisited = unvisitedLevels(state);
  const open = unvisited.filter((level) => !asked.has(level));
  const astray = wishes.length - unvisited.filter((level) => asked.has(level)).length;
  return astray >= open.length ? [] : open;
}

/** The agent would end before budget or target, and levels are left. */
export const wishToStop: Detector = (state) => {
  const levels = levelsBeforeStop(state);
  if (levels.length === 0) return undefined;
  const last = lastJudged(state);
  const which =
    levels.length > MOST_LISTED
      ? `${levels.length} of ${EDITABLE_LEVELS.length} levels`
      : listed(levels.map((l) => LEVEL_WORDS[l]));
  return {
    evidence:
      `The agent wants to stop after ${state.evaluations} of ${counted(state.budget.evaluations, 'evaluation')}; ` +
      `no measured candidate has changed ${which}.`,
    ...(last && { candidate: last.id }),
  };
};

/** More levels are counted instead of named. */
const MOST_LISTED = 3;

/** A person wants to ask something now. */
export const human: Detector = (state) => {
  const last = lastJudged(state);
  return {
    evidence: `You interrupted after ${counted(state.evaluations, 'evaluation')}; ${standing(state)}.`,
    ...(last && { candidate: last.id }),
  };
};
