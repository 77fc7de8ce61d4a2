// `npm run test:gpu`: the GPU suite on this machine. `--pack` makes an archive instead, with Node's own binary, for a CUDA
// machine without Node: unpack it there and run ./test-gpu, or ./node dist/differential.js --target cuda --record FILE alone.
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { bundleDifferential } from './differential.mjs';
import { ensureBuilt, ensureInstalled, fail, root, run } from './setup.mjs';

ensureInstalled();
ensureBuilt();
const { build } = await import('esbuild');
const require = createRequire(import.meta.url);
const bundle = path.join(root, 'dist/gpu-suite.js');
await bundleDifferential();
await build({
  entryPoints: [path.join(root, 'test/gpu/suite.ts')],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  logLevel: 'warning',
  mainFields: ['module', 'main'],
  alias: { 'web-tree-sitter': require.resolve('web-tree-sitter').replace(/\.js$/, '.cjs') },
});

if (!process.argv.includes('--pack')) {
  if (spawnSync('nvidia-smi', ['-L'], { stdio: 'ignore' }).status !== 0) {
    fail(
      'test:gpu needs an NVIDIA GPU with its driver and nvcc; nvidia-smi finds none here. --pack makes an archive for such a machine.',
    );
  }
  run(process.execPath, [bundle]);
} else {
  const temporary = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-pack-'));
  const folder = path.join(temporary, 'kernelseek-gpu');
  await mkdir(path.join(folder, 'test'), { recursive: true });
  await copyFile(process.execPath, path.join(folder, 'node'));
  for (const part of [
    'dist',
    'examples',
    'test/cases',
    'test/faults',
    'test/calls',
    'test/differential',
    'test/isolation',
  ]) {
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  await writeFile(path.join(folder, 'test-gpu'), '#!/bin/sh\ncd "$(dirname "$0")" && exec ./node dist/gpu-suite.js\n');
  await chmod(path.join(folder, 'test-gpu'), 0o755);
  const out = path.join(root, 'kernelseek-gpu.tar.xz');
  console.error('kernelseek: compressing, about half a minute …');
  const tar = spawnSync('tar', ['-C', temporary, '-cf', out, '-I', 'xz -T0 -3', 'kernelseek-gpu'], {
    stdio: 'inherit',
  });
  await rm(temporary, { recursive: true, force: true });
  if (tar.status !== 0) fail('tar or xz failed: both are needed to pack.');
  console.log(out);
}
