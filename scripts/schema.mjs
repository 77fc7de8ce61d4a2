// Writes media/task.schema.json from the zod schema of src/task. Run it after the schema changes; a test compares the two.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { format } from 'prettier';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { outputFiles } = await build({
  entryPoints: [path.join(root, 'src/task/json-schema.ts')],
  bundle: true,
  format: 'esm',
  platform: 'node',
  write: false,
});
const source = Buffer.from(outputFiles[0].contents).toString('base64');
const { taskJsonSchema } = await import(`data:text/javascript;base64,${source}`);
await mkdir(path.join(root, 'media'), { recursive: true });
const text = await format(JSON.stringify(taskJsonSchema()), { parser: 'json', printWidth: 120 });
await writeFile(path.join(root, 'media/task.schema.json'), text);
