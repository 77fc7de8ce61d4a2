// Where a session stands, in few words. Pure.
import { gainOf, gainText } from '../report/gain.js';
import type { SessionState } from '../session/fold.js';
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

/** `best: at least 1.23×`, for the status item; undefined while nothing can be told from the original. */
export function bestText(state: SessionState): string | undefined {
  const gain = gainOf(state);
  return gain && gainText(gain);
}
