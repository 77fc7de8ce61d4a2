// The trace: one typed event a line in trace.jsonl, flushed before it is shown. Everything shown is folded from it.
import { z } from 'zod';
import { targetInfo, verdict } from '../../remote-runner/protocol.js';
import { strategy } from './protocol.js';

const candidateId = z.string().regex(/^c\d+$/);
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
    budget: z.object({ evaluations: z.number(), minutes: z.number() }),
    model: z.string().optional(),
    /** Host of the model endpoint, never the key. */
    endpoint: z.string().optional(),
    originalSha256: z.string(),
    version: z.string(),
  }),
  z.object({ type: z.literal('runner'), address: z.string(), targets: z.array(targetInfo), chosen: z.string() }),
  /** A later process goes on; `budget` when it was changed. */
  z.object({
    type: z.literal('resumed'),
    budget: z.object({ evaluations: z.number(), minutes: z.number() }).optional(),
  }),
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
  }),
  /** A duplicate of an earlier candidate is answered from here and leaves no event of its own. */
  z.object({ type: z.literal('verdict'), candidate: candidateId, verdict }),
  /** A confirmed verdict made this the best. */
  z.object({ type: z.literal('incumbent'), candidate: candidateId }),
  /** `version` of the texts that the agent is given. */
  z.object({ type: z.literal('prompt'), text: z.string(), version: z.number().optional() }),
  /** One answer of the model, as content blocks of the Messages API. */
  z.object({
    type: z.literal('model'),
    model: z.string(),
    content: z.array(z.unknown()),
    stopReason: z.string().optional(),
    usage: usage.optional(),
  }),
  z.object({
    type: z.literal('tool'),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
    result: z.string(),
    isError: z.boolean(),
  }),
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
