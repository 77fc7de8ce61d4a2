// Bundles a program of test/ beside the product's own, so that it runs without a checkout: dist/NAME.js.
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from './setup.mjs';

/**
 * @param {string} entry TypeScript below the root
 * @param {string} name of the bundle
 * @returns {Promise<string>} its path
 */
export async function bundle(entry, name) {
  const { build } = await import('esbuild');
  const require = createRequire(import.meta.url);
  const outfile = path.join(root, 'dist', `${name}.js`);
  await build({
    entryPoints: [path.join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
    mainFields: ['module', 'main'],
    alias: { 'web-tree-sitter': require.resolve('web-tree-sitter').replace(/\.js$/, '.cjs') },
  });
  return outfile;
}
