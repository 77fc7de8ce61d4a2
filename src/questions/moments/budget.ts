// Moments of the session's clock: its opening and the half of its budget.
import type { SessionState } from '../../session/fold.js';
import { counted } from '../../session/ask/text.js';
import { milliseconds, times } from '../../report/numbers.js';
import { incumbentOf, lastJudged } from '../visited.js';
import { lastMoment, type Detector } from './detector.js';

/** The original is measured and nothing has been tried. */
export const opening: Detector = (state) => {
  if (state.baseline?.status !== 'correct' || state.candidates.length > 0 || lastMoment(state, 'opening'))
    return undefined;
  const timed = state.baseline.scenarios.filter((s) => s.timing !== undefined && s.heldOut !== true);
  const sorted = timed.sort((a, b) => (a.timing?.candidateMs ?? 0) - (b.timing?.candidateMs ?? 0));
  const told = sorted.map((s) => `${milliseconds(s.timing?.candidateMs ?? 0)} ms in ${s.id}`);
  const range = [told[0], told.length > 1 ? told.at(-1) : undefined].filter((t) => t !== undefined).join(' to ');
  const where = state.baseline.emulated ? ' on the CPU emulation' : '';
  return {
    evidence: `The original is measured${range ? `: ${range}${where}` : ''}; nothing has been tried yet.`,
  };
};

/** Half of the evaluations or half of the minutes are used; once, and again when the budget was changed. */
export const halfBudget: Detector = (state) => {
  const { budget, evaluations, activeMs } = state;
  const minutes = activeMs / 60_000;
  if (evaluations * 2 < budget.evaluations && minutes * 2 < budget.minutes) return undefined;
  const before = lastMoment(state, 'half-budget');
  if (before && before.seq > (state.budgetChanged ?? 0)) return undefined;
  const last = lastJudged(state);
  if (!last) return undefined;
  return {
    evidence:
      `${evaluations} of ${counted(budget.evaluations, 'evaluation')} and ${minutes.toFixed(minutes < 10 ? 1 : 0)} of ` +
      `${counted(budget.minutes, 'minute')} are used; ${standing(state)}.`,
    candidate: last.id,
  };
};

/** `the best is c4 with 1.44×`, `nothing is confirmed as faster` */
export function standing(state: Readonly<SessionState>): string {
  const best = incumbentOf(state);
  return best?.verdict.speedup
    ? `the best is ${best.candidate.id} with ${times(best.verdict.speedup.value)}`
    : 'nothing is confirmed as faster';
}
