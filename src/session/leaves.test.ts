// What a model may be sent: everything of the task that it can view, less what a person withholds.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleTask } from '../../test/support/session-rig.js';
import type { PreparedTask } from '../runner/prepare.js';
import { leavesOf } from './leaves.js';

let workspace: string;
beforeEach(async () => {
  workspace = await mkdtemp(path.join(os.tmpdir(), 'ks-leaves-'));
  await mkdir(path.join(workspace, '.kernelseek'));
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

/** A task with these read-only files beside `kernels/k.cu`. */
function prepared(names: readonly string[]): PreparedTask {
  const files = names.map((name) => ({ path: name, sha256: name, size: 3 }));
  return {
    task: sampleTask(),
    root: workspace,
    wire: { task: {}, directory: 'kernels', original: [{ path: 'kernels/k.cu', text: '' }], files },
    files: new Map(names.map((name) => [name, Buffer.from('abc')])),
  } as unknown as PreparedTask;
}

const NAMES = ['kernels/a.h', 'kernels/.hidden.h', 'secret/b.h', 'lib/secret/c.h', 'lib/d.inc'];

test.each<[string, string[]]>([
  ['', []],
  ['# nothing\n\n', []],
  ['*.inc', ['lib/d.inc']],
  ['secret', ['secret/b.h', 'lib/secret/c.h']],
  ['/secret/\r\n', ['secret/b.h']],
  ['lib/**/*.h', ['lib/secret/c.h']],
  ['*.h', ['kernels/a.h', 'kernels/.hidden.h', 'secret/b.h', 'lib/secret/c.h']],
])('%j withholds', async (deny, withheld) => {
  await writeFile(path.join(workspace, '.kernelseek/deny'), deny);
  const leaves = await leavesOf(workspace, prepared(NAMES), undefined);
  expect(leaves.withheld).toEqual(withheld);
  expect(leaves.files).toEqual(['kernels/k.cu', ...NAMES.filter((name) => !withheld.includes(name))]);
  expect([...leaves.readable.keys()]).toEqual(leaves.files.slice(1));
});

test('a source that may not leave ends it before it begins, with the remedy', async () => {
  await expect(leavesOf(workspace, prepared([]), ['kernels/**'])).rejects.toThrow(
    /k\.cu may not leave.*"tune" needs no model/,
  );
});
