// What a session process is told and tells: JSON-RPC over its standard streams (the editor and the terminal speak the same).
import { z } from 'zod';
import { PHASES, targetChoice } from '../../remote-runner/protocol.js';

/** Strategies that exist today; `sources` of the choice are settings, flags, or whether a model key is there. */
export const strategy = z.enum(['ask', 'equipped', 'tune']);
export type StrategyName = z.infer<typeof strategy>;

/** Every strategy but the prior-free search. */
export const needsModel = (name: StrategyName): boolean => name !== 'tune';

export const startParams = z.object({
  /** Absolute path of the task file. */
  task: z.string(),
  /** Absent: `ask` with a key, else `tune`. */
  strategy: strategy.optional(),
  target: targetChoice,
  /** Absent URL: a local runner of the session's own. */
  runner: z.object({ url: z.string().optional(), token: z.string().optional() }),
  /** The key is held in memory, sent to `baseUrl` only, and never written. */
  model: z.object({ key: z.string().optional(), baseUrl: z.string().optional(), name: z.string().optional() }),
  budget: z.object({ evaluations: z.number().int().min(1).max(100_000), minutes: z.number().positive().max(100_000) }),
  /** Text of open, unsaved documents by absolute path; what is on disk otherwise. */
  overlay: z.record(z.string(), z.string()).optional(),
  /** Seed of the search strategies; drawn when absent, always in the trace. */
  seed: z.number().int().optional(),
});
export type StartParams = z.infer<typeof startParams>;
/** Continue a session from its trace: task, strategy and seed are those of the trace; `budget`, when given, is the new total. */
export const resumeParams = startParams
  .omit({ task: true, strategy: true, seed: true, overlay: true })
  .partial({ budget: true })
  .extend({
    /** Absolute folder of the session, …/.kernelseek/sessions/<id>. */
    session: z.string(),
  });
export type ResumeParams = z.infer<typeof resumeParams>;

/** Answer to start and resume. */
export const sessionPlace = z.object({
  session: z.string(),
  /** Absolute folder of the session: its trace and its candidates. */
  folder: z.string(),
});
export type SessionPlace = z.infer<typeof sessionPlace>;

/** How far the work under way is; `candidate` absent for the original. */
export const sessionProgress = z.object({
  candidate: z.string().optional(),
  phase: z.enum(['connect', 'model', ...PHASES]),
  detail: z.string(),
  done: z.number().optional(),
  total: z.number().optional(),
});
export type SessionProgress = z.infer<typeof sessionProgress>;

export const SESSION_METHODS = {
  /** StartParams → SessionPlace */
  start: 'session/start',
  /** ResumeParams → SessionPlace */
  resume: 'session/resume',
  /** → null once the best so far is in the trace */
  stop: 'session/stop',
  /** notification from the session: one trace event (events.ts), after it is on disk */
  event: 'session/event',
  /** notification from the session: SessionProgress; not in the trace */
  progress: 'session/progress',
} as const;
