// Builds and packs the extension; refuses a package that is too large or holds anything but what belongs in it.
import { readdir, readFile, stat } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const manifest = require('../package.json');
const target = path.join(root, `${manifest.name}-${manifest.version}.vsix`);
const MOST_BYTES = 2_000_000;

execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
const { createVSIX } = require('@vscode/vsce');
// No repository is published yet, so that the README's relative links have nowhere else to point.
await createVSIX({
  cwd: root,
  packagePath: target,
  dependencies: false,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});

const harness = (await readdir(path.join(root, 'remote-runner/harness'), { recursive: true, withFileTypes: true }))
  .filter((f) => f.isFile())
  .map((f) => path.relative(path.join(root, 'remote-runner'), path.join(f.parentPath, f.name)));
const allowed = new Set([
  '[Content_Types].xml',
  'extension.vsixmanifest',
  ...[
    'package.json',
    'readme.md',
    'changelog.md',
    'LICENSE.txt',
    'media/icon.png',
    'media/task.schema.json',
    'media/repertoire.json',
    'media/repertoire.schema.json',
    'dist/extension.js',
    'dist/engine.js',
    'dist/session.js',
    'dist/runner.js',
    'dist/cli.js',
    'dist/bench.js',
    'dist/THIRD_PARTY_NOTICES.txt',
    'dist/grammar/web-tree-sitter.wasm',
    'dist/grammar/tree-sitter-cuda.wasm',
    ...harness.map((f) => `dist/${f.split(path.sep).join('/')}`),
  ].map((f) => `extension/${f}`),
]);
const packed = namesInZip(await readFile(target));
const extra = packed.filter((f) => !allowed.has(f));
const absent = [...allowed].filter((f) => !packed.includes(f));
if (extra.length > 0) throw new Error(`the package holds what does not belong in it: ${extra.join(', ')}`);
if (absent.length > 0) throw new Error(`the package lacks: ${absent.join(', ')}`);
const { size } = await stat(target);
if (size >= MOST_BYTES) throw new Error(`the package has ${size} bytes; it must stay under ${MOST_BYTES}`);
if (/@anthropic-ai|anthropic-version/.test(await readFile(path.join(root, 'dist/extension.js'), 'utf8'))) {
  throw new Error('dist/extension.js holds the model SDK, which belongs in the session bundle');
}
console.log(`${path.relative(process.cwd(), target)}: ${packed.length} files, ${(size / 1000).toFixed(0)} kB`);

/** Names in a zip's central directory (no comment, no zip64: vsce writes neither). */
function namesInZip(zip) {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) throw new Error('not a zip file');
  const names = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const length = zip.readUInt16LE(at + 28);
    names.push(zip.toString('utf8', at + 46, at + 46 + length));
    at += 46 + length + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return names;
}
