// What a session's state says about which questions make sense now. Pure.
import type { SessionState } from '../session/fold.js';
import { questionPut } from './credit.js';
import type { Level, MomentKind, Need } from './types.js';
import { EDITABLE_LEVELS, visitedLevels } from './visited.js';
import { FAILURE_WORDS } from './words.js';

/** A question that was put in this session. */
export interface AskedBefore {
  /** Id in the repertoire; absent for a question in someone's own words. */
  question?: string;
  level?: Level;
  moment: MomentKind;
  /** A new best came since: the same question may now have another answer. */
  isStale: boolean;
}

export interface Standing {
  has: ReadonlySet<Need>;
  /** Levels at which a measured candidate differs from its parent. */
  visited: ReadonlySet<Level>;
  /** In order. */
  asked: readonly AskedBefore[];
}

/** What the trace does not tell. */
export interface Surroundings {
  /** Number of scenarios of the task. */
  scenarios: number;
  /** The task states its work. */
  hasWork: boolean;
  hasProfile: boolean;
}

export function standingOf(state: SessionState, around: Surroundings): Standing {
  const has = new Set<Need>();
  const verdicts = state.candidates.flatMap((c) => (c.first ? [c.first] : []));
  if (verdicts.length > 0) has.add('candidate');
  if (state.incumbent !== undefined) has.add('best');
  if (verdicts.some((v) => FAILURE_WORDS[v.status] !== undefined)) has.add('failure');
  if (state.claims.length > 0) has.add('claim');
  if (around.scenarios > 1) has.add('scenarios');
  if (around.hasWork) has.add('work');
  if (around.hasProfile) has.add('profile');
  const lastBest = state.bests.at(-1)?.seq ?? 0;
  return {
    has,
    visited: new Set(visitedLevels(state)),
    asked: state.moments.flatMap((at) => {
      const put = questionPut(at);
      if (!put) return [];
      const { known, level, seq } = put;
      const what = { ...(known !== undefined && { question: known }), ...(level && { level }) };
      return [{ ...what, moment: at.moment.kind, isStale: seq < lastBest }];
    }),
  };
}

/** Levels still to be visited. */
export function levelsLeft({ visited }: Standing): Level[] {
  return EDITABLE_LEVELS.filter((level) => !visited.has(level));
}
