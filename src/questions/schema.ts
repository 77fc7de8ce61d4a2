// What media/repertoire.json and a workspace's own .kernelseek/repertoire.json may hold.
import { z } from 'zod';
import { INTENTS, LEVELS, MOMENTS, NEEDS } from './types.js';

/** Longer is not one question. Characters. */
export const LONGEST_QUESTION = 300;

const id = z
  .string()
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be lower-case words joined by hyphens, such as "who-pays"')
  .max(60, 'must have at most 60 characters');
const text = z
  .string()
  .trim()
  .min(1, 'must hold the question')
  .max(LONGEST_QUESTION, `must have at most ${LONGEST_QUESTION} characters`)
  // The text goes into prompts, comments and terminals as one line.
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be one line without control characters');
const level = z.enum(LEVELS).describe('The layer of the system that the question points at.');
const intent = z.enum(INTENTS).describe('"move" leads to another level, "refuse" does not accept a claimed limit.');
const moments = z.array(z.enum(MOMENTS)).min(1).describe('Decision moments at which it may be asked.');
const needs = z.array(z.enum(NEEDS)).describe('What the session must know or hold for it to make sense.');

const question = z.strictObject({ id, text, level, intent, moments, needs });

/** media/repertoire.json: every field is given. */
export const shippedFile = z.strictObject({ $schema: z.string(), questions: z.array(question) });

/**
 * A question of a workspace. With the id of a shipped one it replaces the fields it gives; with an id of its own it needs
 * `text` and `level`, and may be asked at every moment unless it says otherwise.
 */
const ownQuestion = z.strictObject({
  id: id.describe('The id of a shipped question to change, or a new one to add.'),
  text: text.describe('One sentence that moves attention and carries no information.').optional(),
  level: level.optional(),
  intent: intent.optional(),
  moments: moments.optional(),
  needs: needs.optional(),
});
export type OwnQuestion = z.infer<typeof ownQuestion>;

/** .kernelseek/repertoire.json: what a workspace adds, changes and mutes. */
export const workspaceFile = z.strictObject({
  $schema: z.string().optional(),
  questions: z.array(ownQuestion).max(1000).optional(),
  mute: z.array(z.string()).max(10_000).describe('Ids of questions that are never asked.').optional(),
});
export type WorkspaceFile = z.infer<typeof workspaceFile>;
