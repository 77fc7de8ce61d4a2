// Where a session stands, in few words. Pure.
import type { SessionState } from '../session/fold.js';
import { times } from '../report/numbers.js';
import { bestOf, verdictOf } from '../session/fold.js';

/** `12 of 40 · best 1.23×`, for lens and status item. */
export function sessionText(state: SessionState): string {
  const best = bestOf(state);
  const speedup = best && verdictOf(best.candidate)?.speedup;
  return [
    `${state.evaluations} of ${state.budget.evaluations}`,
    ...(speedup ? [`best ${times(speedup.value)}`] : []),
  ].join(' · ');
}
