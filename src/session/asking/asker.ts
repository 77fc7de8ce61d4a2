// Who is asked at a decision moment: one asynchronous interface that terminal, editor and tests answer alike.
import { z } from 'zod';
import { INTENTS, LEVELS, MOMENTS } from '../../questions/types.js';

/** Longest question or answer in someone's own words, characters. */
const OWN_WORDS = 2000;

export const choice = z.object({
  /** Id in the repertoire. */
  id: z.string(),
  text: z.string(),
  level: z.enum(LEVELS),
  intent: z.enum(INTENTS),
});
export type Choice = z.infer<typeof choice>;

/** What is put to a person: why now, and up to three questions that the agent could be asked. */
export const openQuestion = z.object({
  /** Id of the moment; a reply names it. */
  moment: z.string(),
  kind: z.enum(MOMENTS),
  evidence: z.string(),
  place: z.object({ file: z.string(), line: z.number() }).optional(),
  choices: z.array(choice),
  /** Milliseconds until it is decided without a person; at the time of sending. */
  remainingMs: z.number(),
  /** The countdown stands still: somebody types. */
  held: z.boolean(),
  /** The agent picks when the time is up; false: the question expires. */
  agentPicks: z.boolean(),
});
export type OpenQuestion = z.infer<typeof openQuestion>;

/** A question or an answer in someone's own words. */
export const words = z.string().trim().min(1).max(OWN_WORDS);

/** What a person decides about an open question. `known` is the id of one of its choices. */
export const reply = z.discriminatedUnion('type', [
  /** Put this one to the agent. */
  z.object({ type: z.literal('put'), known: z.string() }),
  /** The person answers this one; the agent is told both. */
  z.object({ type: z.literal('answer'), known: z.string(), text: words }),
  /** Put a question in one's own words instead. */
  z.object({ type: z.literal('own'), text: words }),
  /** Show other questions. */
  z.object({ type: z.literal('another') }),
  /** No question now. */
  z.object({ type: z.literal('pass') }),
  /** The agent picks among the choices and answers. */
  z.object({ type: z.literal('agent') }),
  /** This was no moment for a question. */
  z.object({ type: z.literal('wrong-moment') }),
  /** Never show this question again. */
  z.object({ type: z.literal('never'), known: z.string() }),
]);
export type Reply = z.infer<typeof reply>;

/** A question on its way to a person; how long it stays open is the asker's to say. */
export type Asked = Pick<OpenQuestion, 'moment' | 'kind' | 'evidence' | 'place' | 'choices'>;

export interface Asker {
  /**
   * Resolves with what a person decided; with `agent` or `expired` when nobody is there, or nobody did in time.
   * @throws the signal's reason on abort
   */
  ask(question: Asked, signal: AbortSignal): Promise<Reply | { type: 'expired' }>;
  /** The oldest question that a person posed unasked since the last call, if any. */
  posed(): string | undefined;
  /** Resolves while nobody has paused the session; `onPaused` is told of each change. */
  running(signal: AbortSignal, onPaused: (paused: boolean) => Promise<unknown>): Promise<void>;
}
