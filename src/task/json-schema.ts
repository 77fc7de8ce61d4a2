// The task file's JSON Schema, for editors: generated from the zod schema, so that the two cannot disagree.
import { z } from 'zod';
import { taskFile } from './schema.js';

/** What media/task.schema.json holds; scripts/schema.mjs writes it, a test compares it. */
export function taskJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(taskFile, { io: 'input', target: 'draft-7' }) as Record<string, unknown>;
  return { ...schema, title: 'KernelSeek task' };
}
