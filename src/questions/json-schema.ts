// The JSON Schema of repertoire files, for editors: generated from the zod schema, so that the two cannot disagree.
import { z } from 'zod';
import { workspaceFile } from './schema.js';

/** What media/repertoire.schema.json holds; scripts/schema.mjs writes it, a test compares it. */
export function repertoireJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(workspaceFile, { io: 'input', target: 'draft-7' }) as Record<string, unknown>;
  return { ...schema, title: 'KernelSeek repertoire' };
}
