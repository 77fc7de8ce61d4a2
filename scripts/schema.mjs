// Writes the JSON Schemas in media/ from their zod schemas. Run it after one changes; tests compare the two.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { format } from 'prettier';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
await mkdir(path.join(root, 'media'), { recursive: true });
await writeSchema('src/task/json-schema.ts', 'taskJsonSchema', 'task.schema.json');
await writeSchema('src/questions/json-schema.ts', 'repertoireJsonSchema', 'repertoire.schema.json');

/** Calls the function that `module` exports by this name and writes what it gives. */
async function writeSchema(module, name, file) {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, module)],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  const source = Buffer.from(outputFiles[0].contents).toString('base64');
  const exported = await import(`data:text/javascript;base64,${source}`);
  const text = await format(JSON.stringify(exported[name]()), { parser: 'json', printWidth: 120 });
  await writeFile(path.join(root, 'media', file), text);
}
