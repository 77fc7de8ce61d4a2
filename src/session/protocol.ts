// What a session process is told and tells: JSON-RPC over its standard streams and its socket (socket.ts). The one who starts it
// through the pipe drives; who comes over the socket attaches first, and reads the trace for what happened before.
import { z } from 'zod';
import { openQuestion, reply, words } from './asking/asker.js';
import { ASKERS } from '../questions/types.js';
import { PHASES, targetChoice } from '../../remote-runner/protocol.js';

/** Strategies that exist today; `sources` of the choice are settings, flags, or whether a model key is there. */
export const strategy = z.enum(['ask', 'equipped', 'feedback', 'tune']);
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
  budget: z.object({
    evaluations: z.number().int().min(1).max(100_000),
    minutes: z.number().positive().max(100_000),
    tokens: z.number().int().min(1).optional(),
    /** US dollars. */
    money: z.number().positive().optional(),
  }),
  /** Globs of files that no model is shown, besides those of the workspace (leaves.ts). */
  deny: z.array(z.string()).max(1000).optional(),
  /** Who asks questions; absent: `both`, a person where one sits at the seat, else the agent itself. */
  ask: z.enum(ASKERS).optional(),
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

/** Answer of a person to the open question. */
export const replyParams = z.object({ moment: z.string(), reply });
export const poseParams = z.object({ text: words });
export const typingParams = z.object({ typing: z.boolean() });
export const presenceParams = z.object({ present: z.boolean() });
export const pauseParams = z.object({ paused: z.boolean() });
/** `free`: drives if nobody else does; `take`: in place of whoever does. */
export const driveParams = z.object({ drive: z.enum(['no', 'free', 'take']) });
export const attached = sessionPlace.extend({
  /** This client drives: it may reply, pose, pause and stop. */
  driving: z.boolean(),
  question: openQuestion.nullable(),
  paused: z.boolean(),
});
export type Attached = z.infer<typeof attached>;
export const drivingParams = z.object({ driving: z.boolean() });
/** Which question is open now; null for none. */
export const questionParams = z.object({ question: openQuestion.nullable() });

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
  /** notification from the session: a question opened, its countdown was held or goes on, or none is open any more */
  question: 'session/question',
  /** ReplyParams → null; refused when that question is not open any more */
  reply: 'session/reply',
  /** PoseParams → null: a question in one's own words at any time; it comes at the next safe point */
  pose: 'session/pose',
  /** notification to the session: somebody types, so the countdown stands still */
  typing: 'session/typing',
  /** notification to the session: whether a person sits at this client; without one nobody waits for an answer */
  presence: 'session/presence',
  /** PauseParams → null: halts the agent between two of its turns, or lets it go on */
  pause: 'session/pause',
  /**
   * DriveParams → Attached: over the socket, before anything else; again to take the seat or to leave it. One client drives;
   * reply, pose, pause and stop of all others are refused, their presence and typing do not count.
   */
  attach: 'session/attach',
  /** notification from the session: DrivingParams, when another client took the seat */
  driving: 'session/driving',
  /** → null: the session goes on when the pipe of the one who started it closes */
  detach: 'session/detach',
} as const;
