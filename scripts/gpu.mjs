// `npm run test:gpu`: the GPU suite on this machine; `-- --record FILE` keeps what it prints, with the hash of the sources it ran
// on (test/gpu/record.txt holds the last). `--pack` makes an archive instead, with Node's own binary, for a CUDA machine without
// Node: unpack it there and run ./test-gpu [--record FILE], ./node dist/differential.js --target cuda --record FILE, or
// ./node dist/bench-evaluator.js.
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { bundle } from './bundle.mjs';
import { SOURCES } from './gpu-record.mjs';
import { sourcesHash } from './gpu-sources.mjs';
import { ensureBuilt, ensureInstalled, fail, root, run } from './setup.mjs';

ensureInstalled();
ensureBuilt();
const suite = await bundle('test/gpu/suite.ts', 'gpu-suite');
await bundle('test/differential/main.ts', 'differential');
await bundle('test/bench/evaluator/main.ts', 'bench-evaluator');

await copyFile(path.join(root, 'scripts/gpu-record.mjs'), path.join(path.dirname(suite), 'gpu-record.mjs'));
await writeFile(path.join(path.dirname(suite), SOURCES), `${sourcesHash(root)}\n`);

if (!process.argv.includes('--pack')) {
  if (spawnSync('nvidia-smi', ['-L'], { stdio: 'ignore' }).status !== 0) {
    fail(
      'test:gpu needs an NVIDIA GPU with its driver and nvcc; nvidia-smi finds none here. --pack makes an archive for such a machine.',
    );
  }
  run(process.execPath, [path.join(path.dirname(suite), 'gpu-record.mjs'), ...process.argv.slice(2)]);
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
    'test/cheats',
    'test/honest',
    'test/differential',
    'test/bench/evaluator',
    'test/isolation',
  ]) {
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  await writeFile(
    path.join(folder, 'test-gpu'),
    '#!/bin/sh\ncd "$(dirname "$0")" && exec ./node dist/gpu-record.mjs "$@"\n',
  );
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
