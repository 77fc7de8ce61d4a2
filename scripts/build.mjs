// Bundles everything into dist/. The grammar and the harness sources travel beside the bundles as plain files.
import { chmod, copyFile, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { notices } from './notices.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
// `--out FOLDER` builds elsewhere, for tests that must not disturb a dist/ in use.
const out = process.argv.indexOf('--out');
const dist = out > 0 ? path.resolve(process.argv[out + 1]) : path.join(root, 'dist');
const require = createRequire(import.meta.url);
const watch = process.argv.includes('--sourcemap');

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });

// zod carries its messages in some fifty languages; ours are English.
const english = {
  name: 'english',
  setup(builder) {
    builder.onResolve({ filter: /[\\/]locales[\\/]index\.js$/ }, ({ importer }) =>
      /[\\/]zod[\\/]/.test(importer) ? { path: path.join(path.dirname(importer), '../locales/en.js') } : undefined,
    );
  },
};
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minify: true,
  keepNames: true,
  sourcemap: watch,
  logLevel: 'warning',
  metafile: true,
  plugins: [english],
  absWorkingDir: root,
  // The package's ESM build reads import.meta.url, which a CommonJS bundle does not have.
  // jsonc-parser's UMD build hides its own files from the bundler.
  alias: {
    'web-tree-sitter': require.resolve('web-tree-sitter').replace(/\.js$/, '.cjs'),
    'jsonc-parser': require.resolve('jsonc-parser').replace(/([\\/])umd([\\/])/, '$1esm$2'),
  },
  define: { KERNELSEEK_VERSION: JSON.stringify(require('../package.json').version) },
};
const bin = { banner: { js: '#!/usr/bin/env node' } };
const entries = [
  { in: 'src/extension.ts', out: 'extension.js', external: ['vscode'] },
  { in: 'src/editor/engine.ts', out: 'engine.js' },
  { in: 'src/session/main.ts', out: 'session.js' },
  { in: 'src/cli.ts', out: 'cli.js', ...bin },
  { in: 'src/bench/worker.ts', out: 'bench.js' },
  { in: 'remote-runner/main.ts', out: 'runner.js', ...bin },
].filter((e) => existsSync(path.join(root, e.in)));
const built = await Promise.all(
  entries.map(({ in: entry, out, ...rest }) =>
    build({ ...common, ...rest, entryPoints: [entry], outfile: path.join(dist, out) }),
  ),
);

const wts = path.dirname(require.resolve('web-tree-sitter'));
await mkdir(path.join(dist, 'grammar'));
await copyFile(path.join(wts, 'web-tree-sitter.wasm'), path.join(dist, 'grammar/web-tree-sitter.wasm'));
await copyFile(
  path.join(path.dirname(require.resolve('tree-sitter-cuda/package.json')), 'tree-sitter-cuda.wasm'),
  path.join(dist, 'grammar/tree-sitter-cuda.wasm'),
);
const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
await writeFile(path.join(dist, 'THIRD_PARTY_NOTICES.txt'), notices(root, inputs, ['tree-sitter-cuda']));
for (const name of ['cli.js', 'runner.js']) await chmod(path.join(dist, name), 0o755);
await cp(path.join(root, 'remote-runner/harness'), path.join(dist, 'harness'), { recursive: true });
