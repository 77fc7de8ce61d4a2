// Bundles an entry point the way scripts/build.mjs does, for tests that need a real process.
import { existsSync, rmSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

const root = path.resolve(__dirname, '../..');
const resolve = createRequire(__filename).resolve;
const made = new Map<string, Promise<string>>();
const folders: string[] = [];
// A worker of vitest is ended without its exit handlers.
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/**
 * Bundles once per test file.
 * @param entry relative to the project: `remote-runner/main.ts`
 * @returns absolute path of the bundle, with grammar and harness beside it
 */
export function bundle(entry: string): Promise<string> {
  let bundled = made.get(entry);
  if (!bundled) made.set(entry, (bundled = make(entry)));
  return bundled;
}

async function make(entry: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kernelseek-bundle-'));
  folders.push(folder);
  const outfile = path.join(folder, `${path.basename(entry, '.ts')}.js`);
  await build({
    entryPoints: [path.join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    keepNames: true,
    logLevel: 'warning',
    absWorkingDir: root,
    alias: {
      'web-tree-sitter': resolve('web-tree-sitter').replace(/\.js$/, '.cjs'),
      'jsonc-parser': resolve('jsonc-parser').replace(/([\\/])umd([\\/])/, '$1esm$2'),
    },
    define: { KERNELSEEK_VERSION: JSON.stringify('0.0.0-test') },
  });
  await mkdir(path.join(folder, 'grammar'));
  const treeSitter = path.dirname(resolve('web-tree-sitter'));
  const cuda = path.dirname(resolve('tree-sitter-cuda/package.json'));
  await copyFile(path.join(treeSitter, 'web-tree-sitter.wasm'), path.join(folder, 'grammar/web-tree-sitter.wasm'));
  await copyFile(path.join(cuda, 'tree-sitter-cuda.wasm'), path.join(folder, 'grammar/tree-sitter-cuda.wasm'));
  const harness = path.join(root, 'remote-runner/harness');
  if (existsSync(harness)) await cp(harness, path.join(folder, 'harness'), { recursive: true });
  return outfile;
}
