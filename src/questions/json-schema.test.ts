// The committed JSON Schema is the one the zod schema gives.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { repertoireJsonSchema } from './json-schema.js';

it('media/repertoire.schema.json is current (else run: node scripts/schema.mjs)', async () => {
  expect(JSON.parse(await readFile('media/repertoire.schema.json', 'utf8'))).toEqual(repertoireJsonSchema());
});
