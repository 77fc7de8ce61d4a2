// `npm run differential -- --target cpu`: the differential suite on a target of this machine; test/differential/main.ts says how.
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt, ensureInstalled, root, run } from './setup.mjs';

const bundle = path.join(root, 'dist/differential.js');

/** Bundles the suite's program beside the others. */
export async function bundleDifferential() {
  const { build } = await import('esbuild');
  const require = createRequire(import.meta.url);
  await build({
    entryPoints: [path.join(root, 'test/differential/main.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
    mainFields: ['module', 'main'],
    alias: { 'web-tree-sitter': require.resolve('web-tree-sitter').replace(/\.js$/, '.cjs') },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  ensureBuilt();
  await bundleDifferential();
  run(process.execPath, [bundle, ...process.argv.slice(2)]);
}
