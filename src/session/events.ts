// The trace: one typed event a line in trace.jsonl, flushed before it is shown. Everything shown is folded from it.
import { z } from 'zod';
import { targetInfo, verdict } from '../../remote-runner/protocol.js';
import { INTENTS, LEVELS, MOMENTS, OUTCOMES } from '../questions/types.js';
import { strategy } from './protocol.js';

const candidateId = z.string().regex(/^c\d+$/);
const level = z.enum(LEVELS);
const author = z.enum(['human', 'agent', 'repertoire']);
const budget = z.object({
  evaluations: z.number(),
  minutes: z.number(),
  /** Tokens of the model: read, written, cached. */
  tokens: z.number().optional(),
  /** US dollars for the model. */
  money: z.number().optional(),
});
const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});

const body = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('started'),
    session: z.string(),
    /** Path of the task file relative to the folder that holds .kernelseek. */
    task: z.string(),
    strategy,
    seed: z.number(),
    budget,
    model: z.string().optional(),
    /** Host of the model endpoint, never the key. */
    endpoint: z.string().optional(),
    originalSha256: z.string(),
    version: z.string(),
  }),
  z.object({ type: z.literal('runner'), address: z.string(), targets: z.array(targetInfo), chosen: z.string() }),
  /** A later process goes on; `budget` when it was changed. */
  z.object({ type: z.literal('resumed'), budget: budget.optional() }),
  /** The original measured against itself: the baseline. */
  z.object({ type: z.literal('baseline'), verdict }),
  z.object({
    type: z.literal('candidate'),
    id: candidateId,
    /** Absent: child of the original. */
    parent: candidateId.optional(),
    author: z.enum(['agent', 'search', 'human']),
    /** Commit in the session's bare repository. */
    commit: z.string(),
    sourcesSha256: z.string(),
    /** What it is in a few words: `BLOCK = 256`, or the agent's own note. */
    note: z.string(),
    /** For search: the configuration. */
    configuration: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])).optional(),
    /** Levels at which it differs from its parent, by the syntax tree; absent where they could not be told. */
    levels: z.array(level).optional(),
  }),
  /** A duplicate of an earlier candidate is answered from here and leaves no event of its own. */
  z.object({ type: z.literal('verdict'), candidate: candidateId, verdict }),
  /** A confirmed verdict made this the best. */
  z.object({ type: z.literal('incumbent'), candidate: candidateId }),
  /** What the model may be sent from now on: files of the task by path, and those that a person withheld. */
  z.object({
    type: z.literal('leaves'),
    endpoint: z.string(),
    files: z.array(z.string()),
    withheld: z.array(z.string()),
  }),
  /** `version` of the texts that the agent is given; `moment` where this tells it of a question. */
  z.object({
    type: z.literal('prompt'),
    text: z.string(),
    version: z.number().optional(),
    moment: z.string().optional(),
  }),
  /** Another model answers from here on than before. */
  z.object({ type: z.literal('model-changed'), from: z.string(), to: z.string() }),
  /** The conversation before event `before` is replaced by this text in every later request. */
  z.object({ type: z.literal('compacted'), before: z.number().int().min(1), text: z.string() }),
  /** One answer of the model, as content blocks of the Messages API. */
  z.object({
    type: z.literal('model'),
    model: z.string(),
    content: z.array(z.unknown()),
    stopReason: z.string().optional(),
    usage: usage.optional(),
  }),
  /** A note of the advisor on what a tool call's verdict says: an answer of the model outside of the conversation. */
  z.object({
    type: z.literal('advice'),
    /** Id of the tool call. */
    call: z.string(),
    model: z.string(),
    text: z.string(),
    usage,
  }),
  z.object({
    type: z.literal('tool'),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
    result: z.string(),
    isError: z.boolean(),
    /** What a job of the runner took that the tool had run, other than an evaluation; milliseconds by phase. */
    phases: z.record(z.string(), z.number()).optional(),
  }),
  /** A decision moment; `asked` is false where the draw left it in silence, so that questions can be credited against it. */
  z.object({
    type: z.literal('moment'),
    id: z.string().regex(/^m\d+$/),
    kind: z.enum(MOMENTS),
    evidence: z.string(),
    candidate: candidateId.optional(),
    place: z.object({ file: z.string(), line: z.number().int().min(1) }).optional(),
    asked: z.boolean(),
    /** Questions of the repertoire that were offered, best first. */
    offered: z.array(z.string()),
  }),
  /**
   * What earlier sessions on this device taught about questions, as picking sees it in this session: with it, the seed and
   * the events before a moment, the moment's offer can be made again.
   */
  z.object({
    type: z.literal('credit'),
    tallies: z.array(
      z.object({
        moment: z.enum(MOMENTS),
        question: z.string().optional(),
        level: level.optional(),
        intent: z.enum(INTENTS).optional(),
        count: z.number().int().min(1),
        sum: z.number(),
        squares: z.number(),
      }),
    ),
  }),
  /** Other alternatives at the same moment, for the person who wanted others. */
  z.object({ type: z.literal('offered'), moment: z.string(), offered: z.array(z.string()) }),
  /** A question was chosen or written; its answer tells what became of it. */
  z.object({
    type: z.literal('question'),
    id: z.string().regex(/^q\d+$/),
    moment: z.string(),
    /** Id in the repertoire; absent for a question in someone's own words. */
    known: z.string().optional(),
    text: z.string(),
    level: level.optional(),
    intent: z.enum(INTENTS).optional(),
    /** Who chose or wrote it. */
    by: author,
    /** It supplied facts, and earns no credit. */
    informed: z.boolean(),
  }),
  /** What became of a question, or of a moment whose alternatives were all refused. */
  z.object({
    type: z.literal('answer'),
    moment: z.string(),
    question: z.string().optional(),
    outcome: z.enum(OUTCOMES),
    by: author,
    text: z.string().optional(),
    informed: z.boolean(),
  }),
  /** The agent claims that a bound is reached; `floorMs` by scenario is what work and device say, where known. */
  z.object({
    type: z.literal('claim'),
    id: z.string().regex(/^l\d+$/),
    text: z.string(),
    evidence: z.string(),
    level: level.optional(),
    floorMs: z.record(z.string(), z.number()).optional(),
  }),
  /** A person halts the agent between two of its turns, or lets it go on; the time between is not counted. */
  z.object({ type: z.literal('paused'), paused: z.boolean() }),
  /** The machine slept for this many milliseconds before this event; they are not counted. */
  z.object({ type: z.literal('slept'), ms: z.number().min(0) }),
  /** Something went wrong on the road (rate limit, dropped stream, runner lost) and what is done about it. */
  z.object({ type: z.literal('trouble'), where: z.enum(['model', 'runner', 'trace', 'session']), message: z.string() }),
  z.object({
    type: z.literal('finished'),
    reason: z.enum(['budget', 'target', 'agent', 'exhausted', 'stopped', 'failed']),
    message: z.string(),
    best: candidateId.optional(),
  }),
]);

/** `at` is milliseconds since the epoch; `seq` starts at 1 and has no gaps. */
export const traceEvent = z.intersection(z.object({ seq: z.number().int().min(1), at: z.number() }), body);
export type TraceEvent = z.infer<typeof traceEvent>;
export type TraceEventBody = z.infer<typeof body>;
