// Packs the runner for a GPU machine without Node: one archive with Node's own binary, the bundle and the harness.
// Unpack it there and start ./kernelseek-runner.
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ensureBuilt, ensureInstalled, fail, root } from './setup.mjs';

ensureInstalled();
ensureBuilt();
if (process.platform !== 'linux') fail('the runner packs on Linux only: it takes the Node binary it runs under along.');
const name = `kernelseek-runner-${process.platform}-${process.arch}`;
const temporary = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-pack-'));
const folder = path.join(temporary, name);
await mkdir(folder);
await copyFile(process.execPath, path.join(folder, 'node'));
for (const part of ['runner.js', 'harness', 'THIRD_PARTY_NOTICES.txt'])
  await cp(path.join(root, 'dist', part), path.join(folder, part), { recursive: true });
await writeFile(
  path.join(folder, 'kernelseek-runner'),
  '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nexec "$here/node" "$here/runner.js" "$@"\n',
);
await chmod(path.join(folder, 'kernelseek-runner'), 0o755);
const out = path.join(root, `${name}.tar.xz`);
await copyFile(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
console.error('kernelseek: compressing, about half a minute …');
const tar = spawnSync('tar', ['-C', temporary, '-cf', out, '-I', 'xz -T0 -6', name], { stdio: 'inherit' });
await rm(temporary, { recursive: true, force: true });
if (tar.status !== 0) fail('tar or xz failed: both are needed to pack the runner.');
console.log(out);
