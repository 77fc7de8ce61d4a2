// Trace → state of a session. Pure; everything that shows a session, and resume itself, uses this and nothing else.
import { isDeepStrictEqual } from 'node:util';
import type { TargetInfo, Verdict } from '../../remote-runner/protocol.js';
import { decided, whyNotPromising } from './confirmation.js';
import type { Level, Tally } from '../questions/types.js';
import type { TraceEvent } from './events.js';
import type { StrategyName } from './protocol.js';
import type { FinishReason } from './strategy.js';

type Of<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

export interface CandidateState {
  id: string;
  /** Absent: child of the original. */
  parent?: string;
  author: 'agent' | 'search' | 'human';
  note: string;
  commit: string;
  sourcesSha256: string;
  configuration?: Record<string, number | string | boolean>;
  /** Levels at which it differs from its parent; absent where they could not be told. */
  levels?: Level[];
  /** The latest verdict of each mode; both absent while the candidate is under evaluation, or was when the session broke. */
  first?: Verdict;
  confirmed?: Verdict;
  /** How many verdicts the trace holds for it: part of the next job's id. */
  verdicts: number;
  /** Sequence number of the event that made it. */
  seq: number;
  /** Sequence number of its first verdict. */
  judgedSeq?: number;
}

/** The best from one event on. */
export interface BestState {
  seq: number;
  candidate: string;
  /** Confirmed speedup over the original. */
  speedup: number;
}

/** A decision moment and what came of it. */
export interface MomentState {
  moment: Of<'moment'>;
  /** Questions of the repertoire on offer now, best first. */
  offered: string[];
  /** The agent has been told of the question, or of the ones to pick from. */
  told: boolean;
  question?: Of<'question'>;
  answer?: Of<'answer'>;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}

/** What a session may use at most; `tokens` and `money` (US dollars) are those of the model. */
export interface Budget {
  evaluations: number;
  minutes: number;
  tokens?: number | undefined;
  money?: number | undefined;
}

export interface SessionState {
  session: string;
  /** Path of the task file relative to the folder that holds .kernelseek. */
  task: string;
  strategy: StrategyName;
  seed: number;
  budget: Budget;
  /** Sequence number of the event that last changed the budget of a session under way. */
  budgetChanged?: number;
  model?: string;
  /** The name that the model gave itself in its last answer. */
  answering?: string;
  /** Host of the model endpoint. */
  endpoint?: string;
  originalSha256: string;
  version: string;
  startedAt: number;
  /** Time of the last event. */
  updatedAt: number;
  /** Milliseconds at work: neither the gap before a `resumed` counts, nor pauses, nor sleep of the machine. */
  activeMs: number;
  /** First verdicts paid for; a confirmation belongs to the evaluation that led to it, the original costs nothing. */
  evaluations: number;
  runner?: { address: string; targets: TargetInfo[]; chosen: string };
  /** The latest verdict on the original; not `correct` where the session failed over it. */
  baseline?: Verdict;
  /** How often the original was measured: part of the next such job's id. */
  baselines: number;
  candidates: CandidateState[];
  /** Best confirmed candidate. */
  incumbent?: string;
  /** Every best there was, in order; the last is the incumbent. */
  bests: BestState[];
  /** What the API itself reported, summed. */
  usage: Usage;
  /** The same by the name of the model that answered. */
  usageBy: Record<string, Usage>;
  /** Milliseconds that evaluations took to compile, and on the device. */
  compileMs: number;
  deviceMs: number;
  /** What stands for the conversation before an event, where it grew too long. */
  compacted?: { before: number; text: string };
  /** What the model may be sent. */
  leaves?: Of<'leaves'>;
  paused: boolean;
  /** The events that make up the conversation with the model, in order. */
  conversation: (Of<'prompt'> | Of<'model'> | Of<'tool'>)[];
  /** Decision moments with the question asked at each and what became of it, in order. */
  moments: MomentState[];
  claims: Of<'claim'>[];
  /** Notes of the advisor by the id of the tool call. */
  advice: Map<string, string>;
  /** What earlier sessions taught about questions; absent before it was read. */
  credit?: Tally[];
  troubles: Of<'trouble'>[];
  /** Absent while the session is open: running, or broken off and resumable. */
  finished?: { reason: FinishReason; message: string; best?: string };
  lastSeq: number;
}

/** The trace does not tell a session: events out of place. */
export class FoldError extends Error {
  constructor(seq: number, message: string) {
    super(`trace event ${seq}: ${message}`);
    this.name = 'FoldError';
  }
}

/**
 * State after all events; undefined for none.
 * @throws FoldError where an event cannot stand at its place
 */
export function fold(events: Iterable<TraceEvent>): SessionState | undefined {
  let state: SessionState | undefined;
  for (const event of events) state = advance(state, event);
  return state;
}

/**
 * One event onto a state; the state is changed in place, so that following a long session stays cheap.
 * @throws FoldError
 */
export function advance(state: SessionState | undefined, event: TraceEvent): SessionState {
  if (event.type === 'started') {
    if (state) throw new FoldError(event.seq, 'a second "started"');
    return begin(event);
  }
  if (!state) throw new FoldError(event.seq, `"${event.type}" before "started"`);
  if (event.type === 'slept' && !state.paused) state.activeMs -= event.ms;
  if (event.type !== 'resumed' && !state.paused) state.activeMs += Math.max(0, event.at - state.updatedAt);
  state.updatedAt = event.at;
  state.lastSeq = event.seq;
  apply(state, event);
  return state;
}

function begin(event: Of<'started'>): SessionState {
  return {
    session: event.session,
    task: event.task,
    strategy: event.strategy,
    seed: event.seed,
    budget: event.budget,
    ...(event.model !== undefined && { model: event.model }),
    ...(event.endpoint !== undefined && { endpoint: event.endpoint }),
    originalSha256: event.originalSha256,
    version: event.version,
    startedAt: event.at,
    updatedAt: event.at,
    activeMs: 0,
    evaluations: 0,
    baselines: 0,
    candidates: [],
    bests: [],
    usage: noUsage(),
    usageBy: {},
    compileMs: 0,
    deviceMs: 0,
    paused: false,
    conversation: [],
    moments: [],
    claims: [],
    advice: new Map(),
    troubles: [],
    lastSeq: event.seq,
  };
}

function noUsage(): Usage {
  return { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
}

function addUsage(sum: Usage, more: Usage): void {
  sum.inputTokens += more.inputTokens;
  sum.outputTokens += more.outputTokens;
  sum.cacheReadTokens += more.cacheReadTokens;
  sum.cacheWriteTokens += more.cacheWriteTokens;
}

function addModelUsage(state: SessionState, model: string, usage: Usage): void {
  addUsage(state.usage, usage);
  addUsage((state.usageBy[model] ??= noUsage()), usage);
}

/** What waits for the device uses neither it nor the compiler. */
function addPhases(state: SessionState, { phases }: Pick<Verdict, 'phases'>): void {
  for (const [name, ms] of Object.entries(phases)) {
    if (name === 'build') state.compileMs += ms;
    else if (name !== 'wait') state.deviceMs += ms;
  }
}

function apply(state: SessionState, event: Exclude<TraceEvent, { type: 'started' }>): void {
  switch (event.type) {
    case 'runner':
      state.runner = { address: event.address, targets: event.targets, chosen: event.chosen };
      return;
    case 'resumed':
      delete state.finished;
      state.paused = false;
      if (event.budget && !isDeepStrictEqual(event.budget, state.budget)) {
        state.budget = event.budget;
        state.budgetChanged = event.seq;
      }
      return;
    case 'baseline':
      state.baseline = event.verdict;
      addPhases(state, event.verdict);
      state.baselines += 1;
      return;
    case 'candidate': {
      if (candidateOf(state, event.id)) throw new FoldError(event.seq, `${event.id} comes twice`);
      if (event.parent !== undefined) find(state, event.parent, event.seq);
      const { at: _at, type: _type, ...candidate } = event;
      state.candidates.push({ ...candidate, verdicts: 0 });
      return;
    }
    case 'verdict': {
      const candidate = find(state, event.candidate, event.seq);
      candidate.verdicts += 1;
      addPhases(state, event.verdict);
      if (event.verdict.mode === 'confirm') {
        candidate.confirmed = event.verdict;
      } else {
        if (candidate.sourcesSha256 !== state.originalSha256) state.evaluations += 1;
        candidate.first = event.verdict;
        candidate.judgedSeq ??= event.seq;
      }
      return;
    }
    case 'incumbent': {
      const best = find(state, event.candidate, event.seq);
      state.incumbent = best.id;
      const speedup = best.confirmed?.speedup?.value ?? 1;
      state.bests.push({ seq: event.seq, candidate: best.id, speedup });
      return;
    }
    case 'prompt':
      if (event.moment !== undefined) momentOf(state, event.moment, event.seq).told = true;
      state.conversation.push(event);
      return;
    case 'tool':
      state.conversation.push(event);
      if (event.phases) addPhases(state, { phases: event.phases });
      return;
    case 'model':
      state.conversation.push(event);
      state.answering = event.model;
      if (event.usage) addModelUsage(state, event.model, event.usage);
      return;
    case 'advice':
      state.advice.set(event.call, event.text);
      addModelUsage(state, event.model, event.usage);
      return;
    case 'leaves':
      state.leaves = event;
      return;
    case 'model-changed':
      return;
    case 'compacted':
      state.compacted = { before: event.before, text: event.text };
      return;
    case 'moment':
      state.moments.push({ moment: event, offered: event.offered, told: false });
      return;
    case 'offered':
      momentOf(state, event.moment, event.seq).offered = event.offered;
      return;
    case 'credit':
      state.credit = event.tallies;
      return;
    case 'question':
      momentOf(state, event.moment, event.seq).question = event;
      return;
    case 'answer':
      momentOf(state, event.moment, event.seq).answer = event;
      return;
    case 'claim':
      state.claims.push(event);
      return;
    case 'paused':
      state.paused = event.paused;
      return;
    case 'slept':
      return;
    case 'trouble':
      state.troubles.push(event);
      return;
    case 'finished':
      state.finished = {
        reason: event.reason,
        message: event.message,
        ...(event.best !== undefined && { best: event.best }),
      };
      return;
  }
}

function find(state: SessionState, id: string, seq: number): CandidateState {
  const candidate = candidateOf(state, id);
  if (!candidate) throw new FoldError(seq, `${id} is not a candidate of this session`);
  return candidate;
}

function momentOf(state: SessionState, id: string, seq: number): MomentState {
  // Mostly the latest.
  const found = state.moments.findLast((m) => m.moment.id === id);
  if (!found) throw new FoldError(seq, `${id} is not a moment of this session`);
  return found;
}

/** A candidate by its id. */
export function candidateOf(state: SessionState, id: string | undefined): CandidateState | undefined {
  if (id === undefined) return undefined;
  // They are numbered in their order: a search would make folding a long trace a matter of squares.
  const there = state.candidates[Number(id.slice(1)) - 1];
  return there?.id === id ? there : state.candidates.find((c) => c.id === id);
}

/** The verdict that counts: confirmed, else first; a confirmation that came to nothing takes nothing away. */
export function verdictOf({ first, confirmed }: CandidateState): Verdict | undefined {
  return first && !decided(confirmed) ? first : confirmed;
}

/** Best candidate to show: the incumbent, else the highest provisional speedup whose interval lies above 1. */
export function bestOf(state: SessionState): { candidate: CandidateState; confirmed: boolean } | undefined {
  const incumbent = candidateOf(state, state.incumbent);
  if (incumbent) return { candidate: incumbent, confirmed: true };
  let best: CandidateState | undefined;
  for (const c of state.candidates) {
    const speedup = provisional(c);
    if (speedup > 0 && (!best || speedup > provisional(best))) best = c;
  }
  return best && { candidate: best, confirmed: false };
}

/** 0 for what cannot be told from the original, or was not borne out by its confirmation. */
function provisional({ first, confirmed }: CandidateState): number {
  return first?.speedup && !decided(confirmed) && whyNotPromising(first) === undefined ? first.speedup.value : 0;
}
