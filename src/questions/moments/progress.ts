// Moments of progress and its absence: new best, plateau, failure streak.
import type { Verdict } from '../../../remote-runner/protocol.js';
import { times } from '../../report/numbers.js';
import { decided, overBest } from '../../session/confirmation.js';
import { verdictOf, type SessionState } from '../../session/fold.js';
import { speedupText } from '../../session/ask/text.js';
import { incumbentOf, lastJudged } from '../visited.js';
import { FAILURE_WORDS, listed } from '../words.js';
import { lastMoment, lastSteps, since, type Detector, type Step } from './detector.js';

/** Correct candidates in a row without progress that make a plateau. */
export const PLATEAU = 5;
/** Candidates in a row that fail. */
export const STREAK = 3;

/** The last verdict made a new best. */
export const newBest: Detector = (state) => {
  const best = incumbentOf(state);
  if (!best || best.candidate.id !== lastJudged(state)?.id) return undefined;
  if (lastMoment(state, 'new-best')?.candidate === best.candidate.id || !best.verdict.speedup) return undefined;
  const before = state.bests.at(-2);
  return {
    evidence:
      `${best.candidate.id} is the new best with ${speedupText(best.verdict.speedup)} over the original, confirmed` +
      (before ? `; before it ${before.candidate} was, with ${times(before.speedup)}.` : '; it is the first.'),
    candidate: best.candidate.id,
  };
};

/** The last correct candidates made no progress that their intervals bear out. */
export const plateau: Detector = (state) => {
  const best = incumbentOf(state);
  const afterBest = best ? state.candidates.indexOf(best.candidate) + 1 : 0;
  const steps = lastSteps(state, PLATEAU, Math.max(afterBest, since(state, 'plateau')));
  if (steps.length < PLATEAU || steps.some((step) => advances(step, best?.verdict))) return undefined;
  const values = steps.map((s) => s.speedup.value);
  const between = `between ${times(Math.min(...values))} and ${times(Math.max(...values))}`;
  const overlap = Math.max(...steps.map((s) => s.speedup.low)) <= Math.min(...steps.map((s) => s.speedup.high));
  const than = best?.verdict.speedup
    ? `the best, ${best.candidate.id} with ${times(best.verdict.speedup.value)}`
    : 'the original';
  return {
    evidence: overlap
      ? `The last ${PLATEAU} correct candidates lie ${between}, within their intervals.`
      : `None of the last ${PLATEAU} correct candidates is faster than ${than}, beyond its interval; they lie ${between}.`,
    ...about(state),
  };
};

/** Does its interval lie above the best, or above the original where there is no best? */
function advances({ verdict, speedup }: Step, best: Verdict | undefined): boolean {
  const over = best && overBest(verdict, best);
  if (!over) return speedup.low > 1;
  // A ratio without an interval of its own: the candidate's own interval must lie above the best's value.
  return over.low < over.high ? over.low > 1 : speedup.low > (best.speedup?.value ?? Infinity);
}

/** The last candidates all failed. */
export const failureStreak: Detector = (state) => {
  const failed: { id: string; how: string }[] = [];
  const from = since(state, 'failure-streak');
  for (let i = state.candidates.length - 1; i >= from && failed.length < MOST_TOLD; i--) {
    const candidate = state.candidates[i];
    const verdict = candidate && verdictOf(candidate);
    // What says nothing about the candidate neither makes a streak nor breaks it.
    if (!candidate || !decided(verdict) || !verdict) continue;
    const how = FAILURE_WORDS[verdict.status];
    if (how === undefined) break;
    failed.unshift({ id: candidate.id, how });
  }
  if (failed.length < STREAK) return undefined;
  const ways = [...new Set(failed.map((f) => f.how))];
  const parts = ways.map((how) => `${listed(failed.filter((f) => f.how === how).map((f) => f.id))} ${how}`);
  return { evidence: `The last ${failed.length} candidates failed: ${parts.join('; ')}.`, ...about(state) };
};

const MOST_TOLD = 8;

function about(state: Readonly<SessionState>): { candidate?: string } {
  const last = lastJudged(state);
  return last ? { candidate: last.id } : {};
}
