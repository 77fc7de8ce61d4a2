// Where a session stands, in few words. Pure.
import { times } from '../report/numbers.js';
import type { SessionState } from '../session/fold.js';
import { bestOf, verdictOf } from '../session/fold.js';
import type { SessionProgress } from '../session/protocol.js';

const DOING: Record<SessionProgress['phase'], string> = {
  connect: 'Starting runner',
  model: 'Thinking',
  queued: 'Waiting',
  build: 'Compiling',
  check: 'Checking',
  time: 'Timing',
  done: 'Judged',
};

/** `Timing · 12 of 40`, for the lens. */
export function sessionText(state: SessionState, doing: SessionProgress['phase'] | undefined): string {
  const count = `${state.evaluations} of ${state.budget.evaluations}`;
  return doing === undefined ? count : `${DOING[doing]} · ${count}`;
}

/** `best 1.23× (CPU emulation)`, for the status item; undefined while nothing is better than the original. */
export function bestText(state: SessionState): string | undefined {
  const best = bestOf(state);
  const verdict = best && verdictOf(best.candidate);
  if (!verdict?.speedup) return undefined;
  return `best ${times(verdict.speedup.value)}${verdict.emulated ? ' (CPU emulation)' : ''}`;
}
