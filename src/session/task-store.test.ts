// The stored task: what may have changed since, what may not, and what the agent never gets to read.
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FileRef } from '../../remote-runner/protocol.js';
import { sampleTask } from '../../test/support/session-rig.js';
import type { PreparedTask } from '../runner/prepare.js';
import { readableFiles, storedTask, storeTask } from './task-store.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'ks-store-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function prepared(contents: Record<string, string | Uint8Array>, source = 'int a;', more = {}): PreparedTask {
  const task = sampleTask(more);
  const refs: FileRef[] = [];
  const files = new Map<string, Uint8Array>();
  for (const [name, content] of Object.entries(contents)) {
    const bytes = Buffer.from(content);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    refs.push({ path: name, sha256, size: bytes.length });
    files.set(sha256, bytes);
  }
  const wire = { task, directory: 'kernels', original: [{ path: 'kernels/k.cu', text: source }], files: refs };
  return { task, wire, files, root: '/w', taskFolder: '/w/kernels' };
}

test('the source may have changed (the best may be applied); it is the stored one that counts', async () => {
  const before = prepared({ 'kernels/n.h': '1' });
  await storeTask(folder, before.wire);
  expect(await storedTask(folder, prepared({ 'kernels/n.h': '1' }, 'int applied;'))).toEqual(
    JSON.parse(JSON.stringify(before.wire)),
  );
});

test('a changed header or task file is refused by name', async () => {
  await storeTask(folder, prepared({ 'kernels/n.h': '1' }).wire);
  await expect(storedTask(folder, prepared({ 'kernels/n.h': '2' }))).rejects.toThrow(/^kernels\/n\.h changed since/);
  const other = prepared({ 'kernels/n.h': '1' }, 'int a;', { scenarios: [{ n: 2 }] });
  await expect(storedTask(folder, other)).rejects.toThrow(/^the task file changed since/);
});

test('the agent reads headers, not the reference, not what it is compared with, not binary files', () => {
  const { task, wire, files } = prepared({
    'kernels/n.h': '#define N',
    'kernels/ref.cu': 'r',
    'lib/cmp.cu': 'c',
    'kernels/w.bin': Uint8Array.of(1, 0, 255),
  });
  const secretive = { ...task, reference: 'ref.cu', compare: [{ name: 'lib', sources: ['../lib/cmp.cu'] }] };
  expect([...readableFiles(secretive, wire, files)]).toEqual([['kernels/n.h', '#define N']]);
});
