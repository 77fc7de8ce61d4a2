// What a session has won so far, in the same words for terminal and editor: only what is confirmed is called best.
import type { Ratio } from '../../remote-runner/protocol.js';
import { bestOf, verdictOf, type SessionState } from '../session/fold.js';
import { interval, times } from './numbers.js';

/** The best candidate, or where none is confirmed the one that looks best. */
export interface Gain {
  candidate: string;
  /** The incumbent of the trace: measured again, in fresh processes, and still faster. */
  confirmed: boolean;
  /** Over the original. */
  speedup?: Ratio;
  emulated: boolean;
}

/** Undefined while nothing can be told from the original. */
export function gainOf(state: SessionState): Gain | undefined {
  const best = bestOf(state);
  if (!best) return undefined;
  const verdict = verdictOf(best.candidate);
  return {
    candidate: best.candidate.id,
    confirmed: best.confirmed,
    ...(verdict?.speedup && { speedup: verdict.speedup }),
    emulated: verdict?.emulated ?? false,
  };
}

/** `best: at least 2.80× (CPU emulation)`, or `candidate c3, not confirmed: 1.22×`. */
export function gainText(gain: Gain): string {
  return text(gain, ({ value, low }) => (gain.confirmed ? `at least ${times(low)}` : times(value)));
}

/** The same with the whole interval: `best: at least 2.80× (8.63× [2.80, 26.59])`. */
export function gainInFull(gain: Gain): string {
  return text(gain, (speedup) =>
    gain.confirmed ? `at least ${times(speedup.low)} (${interval(speedup)})` : interval(speedup),
  );
}

function text({ candidate, confirmed, speedup, emulated }: Gain, amount: (s: Ratio) => string): string {
  const name = confirmed ? 'best' : `candidate ${candidate}, not confirmed`;
  return (speedup ? `${name}: ${amount(speedup)}` : name) + (emulated ? ' (CPU emulation)' : '');
}
