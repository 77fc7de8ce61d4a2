// The committed JSON Schema is the one the zod schema gives.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { taskJsonSchema } from './json-schema.js';

it('media/task.schema.json is current (else run: node scripts/schema.mjs)', async () => {
  expect(JSON.parse(await readFile('media/task.schema.json', 'utf8'))).toEqual(taskJsonSchema());
});

it('knows the fields that a task may have, and no others', () => {
  const schema = taskJsonSchema() as { properties: Record<string, unknown>; additionalProperties: boolean };
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['source', 'entry', 'arguments', 'scenarios']));
  expect(schema.additionalProperties).toBe(false);
});
