// What a detector of moments is given and gives, and how far back it looks.
import type { CandidateState, SessionState } from '../../session/fold.js';
import { measured } from '../visited.js';
import type { MomentKind } from '../types.js';
import type { Verdict } from '../../../remote-runner/protocol.js';

/** A moment without its place. */
export interface Found {
  /** One sentence of facts of the trace. */
  evidence: string;
  candidate?: string;
}

/** How alike proposals for different shapes are, where a strategy measures it. */
export interface Collapse {
  /** Shapes that were proposed for, at least two. */
  shapes: number;
  /** Share of the constants that are the same in all proposals, in [0, 1]. */
  shared: number;
}

/** Looks only at the state, and only at bounded windows of it: called after every event that may bring a moment about. */
export type Detector = (state: Readonly<SessionState>, collapse?: Collapse) => Found | undefined;

/** A candidate that is correct and timed, with what it reached. */
export interface Step {
  candidate: CandidateState;
  verdict: Verdict;
  speedup: NonNullable<Verdict['speedup']>;
}

/** The last moment of a kind, asked or left in silence. */
export function lastMoment(state: Readonly<SessionState>, kind: MomentKind) {
  return state.moments.findLast((m) => m.moment.kind === kind)?.moment;
}

/** Index of the first candidate after the one that the last moment of a kind was about: what is new since. */
export function since(state: Readonly<SessionState>, kind: MomentKind): number {
  const about = lastMoment(state, kind)?.candidate;
  return about === undefined ? 0 : state.candidates.findLastIndex((c) => c.id === about) + 1;
}

/** The last `count` measured candidates from an index on, oldest first; fewer where there are no more. */
export function lastSteps(state: Readonly<SessionState>, count: number, from = 0): Step[] {
  const steps: Step[] = [];
  for (let i = state.candidates.length - 1; i >= from && steps.length < count; i--) {
    const candidate = state.candidates[i];
    if (!candidate || candidate.sourcesSha256 === state.originalSha256) continue;
    const verdict = measured(candidate);
    if (!verdict?.speedup) continue;
    steps.push({ candidate, verdict, speedup: verdict.speedup });
  }
  return steps.reverse();
}
