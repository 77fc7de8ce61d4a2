// The words of the questions room: levels, intents, moments, questions and what becomes of them. Imports nothing.

/** The layers of the system that a question can point at, from the whole to the single launch. */
export const LEVELS = [
  'objective',
  'algorithm',
  'data-movement',
  'decomposition',
  'memory-hierarchy',
  'instructions',
  'overlap',
  'compiler',
  'launch',
  'shape-dtype',
] as const;
export type Level = (typeof LEVELS)[number];

/** `move`: to another level; `refuse`: does not accept a claimed limit. */
export const INTENTS = ['move', 'refuse'] as const;
export type Intent = (typeof INTENTS)[number];

/** States of a session in which a question is due, computed from its trace. */
export const MOMENTS = [
  'opening',
  'new-best',
  'plateau',
  'failure-streak',
  'limit-claimed',
  'wish-to-stop',
  'narrowing',
  'shape-bias',
  'half-budget',
  'human',
] as const;
export type MomentKind = (typeof MOMENTS)[number];

/** What the session must know or hold for a question to make sense. */
export const NEEDS = [
  /** At least one candidate has a verdict. */
  'candidate',
  /** A confirmed best is there. */
  'best',
  /** A candidate was refused: it did not compile, was wrong, or crashed. */
  'failure',
  /** The task has more than one scenario. */
  'scenarios',
  /** A limit was claimed. */
  'claim',
  /** The task states its work, so that a floor is known. */
  'work',
  /** A profile of the kernel is there. */
  'profile',
] as const;
export type Need = (typeof NEEDS)[number];

/** One question of the repertoire: one sentence that moves attention and carries no information. */
export interface Question {
  /** Stable, kebab-case. */
  id: string;
  text: string;
  level: Level;
  intent: Intent;
  moments: MomentKind[];
  needs: Need[];
}

/** A line of a source that a moment is about; lines start at 1. */
export interface MomentPlace {
  file: string;
  line: number;
}

/** A decision moment as the detector found it. */
export interface Moment {
  kind: MomentKind;
  /** Why now, in one sentence made of facts of the trace. */
  evidence: string;
  /** Candidate whose verdict brought it about. */
  candidate?: string;
  place?: MomentPlace;
}

/** Who asks in a session: only a person, only the agent itself, or a person with the agent taking over. */
export const ASKERS = ['human', 'agent', 'both'] as const;
export type Asker = (typeof ASKERS)[number];

/** What became of an open question. */
export const OUTCOMES = ['answered', 'passed', 'expired', 'wrong-moment', 'never'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Moments at which somebody waits for a question: never left in silence. */
export const NEVER_SILENT: readonly MomentKind[] = ['limit-claimed', 'wish-to-stop', 'human'];

/** Gains (natural logarithms of speedups) that followed one question, or silence, at one kind of moment. */
export interface Tally {
  moment: MomentKind;
  /** Id in the repertoire; absent for silence and for questions in someone's own words. */
  question?: string;
  /** Absent for silence. */
  level?: Level;
  intent?: Intent;
  count: number;
  sum: number;
  /** Sum of the squared gains. */
  squares: number;
}
