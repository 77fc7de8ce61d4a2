// Which decision moment a session is at: pure functions of its state, by priority and at a measured pace.
import type { SessionState } from '../session/fold.js';
import { failureStreak, newBest, plateau } from './moments/progress.js';
import { halfBudget, opening } from './moments/budget.js';
import { narrowing, shapeBias } from './moments/breadth.js';
import { human, limitClaimed, wishToStop } from './moments/voices.js';
import type { Collapse, Detector } from './moments/detector.js';
import type { Moment, MomentKind, MomentPlace } from './types.js';

/**
 * What just happened. `verdict`: a verdict is on the trace with what followed from it (confirmation, new best), or the baseline
 * is; `claim`: a claim is; `wish-to-stop`: the agent called finish, or has no more to propose; `human`: a person interrupts.
 */
export type Occasion = 'verdict' | 'claim' | 'wish-to-stop' | 'human';

/** What the trace does not hold. */
export interface MomentContext {
  /** First line that a candidate changed, in its own source. */
  placeOf?: (candidate: string) => MomentPlace | undefined;
  /** Where a strategy measures it. */
  collapse?: Collapse;
}

/** Agent actions (tool calls) from one moment to the next at least; the opening and what somebody brings about keep no pace. */
export const PACE = 50;

const UNPACED: ReadonlySet<MomentKind> = new Set(['opening', 'limit-claimed', 'wish-to-stop', 'human']);

/** First that is due first: what passes soonest, then what says most about the state. */
const DETECTORS: Readonly<Record<Occasion, readonly (readonly [MomentKind, Detector])[]>> = {
  verdict: [
    ['opening', opening],
    ['new-best', newBest],
    ['failure-streak', failureStreak],
    ['shape-bias', shapeBias],
    ['half-budget', halfBudget],
    ['narrowing', narrowing],
    ['plateau', plateau],
  ],
  claim: [['limit-claimed', limitClaimed]],
  'wish-to-stop': [['wish-to-stop', wishToStop]],
  human: [['human', human]],
};

/** All moments that a state is at, first the one of highest priority; pace is not asked for. */
export function momentsAt(
  state: Readonly<SessionState>,
  occasion: Occasion,
  { placeOf, collapse }: MomentContext = {},
): Moment[] {
  return DETECTORS[occasion].flatMap(([kind, detect]) => {
    const found = detect(state, collapse);
    const place = found?.candidate === undefined ? undefined : placeOf?.(found.candidate);
    return found ? [{ kind, ...found, ...(place && { place }) }] : [];
  });
}

/**
 * The moment at which a question is due now. At most one thread is open, nothing is asked when there is no evaluation left to
 * act on the answer, and moments keep their pace: one in PACE actions, twice as rare for a kind each time it was called wrong.
 */
export function dueMoment(
  state: Readonly<SessionState>,
  occasion: Occasion,
  context: MomentContext = {},
): Moment | undefined {
  if (hasOpenMoment(state) || state.finished) return undefined;
  if (state.evaluations >= state.budget.evaluations && occasion !== 'human') return undefined;
  const last = state.moments.findLast((m) => m.moment.kind !== 'opening');
  const rarest = DETECTORS[occasion].map(([kind]) => paceOf(state, kind));
  const quiet = last ? actionsSince(state, last.moment.seq, Math.max(...rarest)) : Infinity;
  return momentsAt(state, occasion, context).find(({ kind }) => quiet >= paceOf(state, kind));
}

/** True while a question waits for its answer. */
export function hasOpenMoment(state: Readonly<SessionState>): boolean {
  const last = state.moments.at(-1);
  return last?.moment.asked === true && !last.answer;
}

function paceOf(state: Readonly<SessionState>, kind: MomentKind): number {
  if (UNPACED.has(kind)) return 0;
  const wrong = state.moments.filter((m) => m.moment.kind === kind && m.answer?.outcome === 'wrong-moment').length;
  return PACE * 2 ** Math.min(wrong, 10);
}

/** Tool calls after an event, counted up to a limit. */
function actionsSince({ conversation }: Readonly<SessionState>, seq: number, limit: number): number {
  let actions = 0;
  for (let i = conversation.length - 1; i >= 0 && actions < limit; i--) {
    const event = conversation[i];
    if (!event || event.seq <= seq) break;
    if (event.type === 'tool') actions += 1;
  }
  return actions;
}
