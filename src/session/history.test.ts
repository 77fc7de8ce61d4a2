// The candidate repository: exact bytes, parents, and nothing of the user's git touched or used.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { History } from './history.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'ks-history-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const original = [
  { path: 'deep/er/k.cu', text: '\ufeffint a;\r\n\r\n' },
  { path: 'z.cu', text: 'no newline at the end' },
];

test('gives back every byte, with parents as in the search tree', async () => {
  const history = await History.open(folder);
  const root = await history.commit('original', original, [], 'the original');
  const edited = [{ path: 'deep/er/k.cu', text: 'int b;\n' }, original[1]!];
  const c1 = await history.commit('c1', edited, [root], '--amend "quotes" $(and) more\nsecond line');
  const c2 = await history.commit('c2', original, [c1], '');
  expect(await history.read(root)).toEqual(original);
  expect(await history.read(c1)).toEqual(edited);
  expect(await history.find('c2')).toBe(c2);
  const diff = await history.diff(root, c1);
  expect(diff).toContain('+int b;');
  expect(diff).not.toContain('z.cu');
  const log = execFileSync('git', [
    '--git-dir',
    path.join(folder, 'candidates.git'),
    'log',
    '--format=%P %an %B',
    'c2',
  ]);
  expect(log.toString()).toContain(`${c1} KernelSeek c2`);
  expect(log.toString()).toContain(`${root} KernelSeek --amend "quotes" $(and) more`);
  // Reopening goes on with what is there.
  expect(await (await History.open(folder)).read(c1)).toEqual(edited);
  expect((await readdir(folder)).sort()).toEqual(['candidates.git']);
});

test('neither the variables nor the configuration nor the hooks of the user take part', async () => {
  const user = path.join(folder, 'user');
  execFileSync('git', ['init', '-q', user]);
  const marker = path.join(folder, 'hook-ran');
  const hooks = path.join(folder, 'hooks');
  execFileSync('mkdir', [hooks]);
  await writeFile(path.join(hooks, 'reference-transaction'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
  await writeFile(path.join(folder, 'gitconfig'), `[core]\n\thooksPath = ${hooks}\n\tautocrlf = true\n`);
  const before = await readdir(path.join(user, '.git'));
  vi.stubEnv('GIT_DIR', path.join(user, '.git'));
  vi.stubEnv('GIT_INDEX_FILE', path.join(user, '.git', 'index'));
  vi.stubEnv('GIT_CONFIG_GLOBAL', path.join(folder, 'gitconfig'));
  vi.stubEnv('GIT_AUTHOR_NAME', 'somebody');
  const history = await History.open(folder);
  const root = await history.commit('original', original, [], 'the original');
  expect(await history.read(root)).toEqual(original);
  expect(await readdir(path.join(user, '.git'))).toEqual(before);
  await expect(readFile(marker)).rejects.toThrow();
});

test('hooks that lie in the repository itself do not run, and a lock that a crash left is not in the way', async () => {
  const history = await History.open(folder);
  const root = await history.commit('original', original, [], 'the original');
  const marker = path.join(folder, 'hook-ran');
  const hooks = path.join(folder, 'candidates.git', 'hooks');
  await mkdir(hooks, { recursive: true });
  await writeFile(path.join(hooks, 'reference-transaction'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
  await writeFile(path.join(folder, 'candidates.git', 'scratch-index.lock'), '');
  const again = await History.open(folder);
  await again.commit('c1', [{ path: 'k.cu', text: '' }], [root], '');
  expect(await again.read(await again.find('c1'))).toEqual([{ path: 'k.cu', text: '' }]);
  await expect(readFile(marker)).rejects.toThrow();
});

test('what is not the name of a commit never reaches git', async () => {
  const history = await History.open(folder);
  const root = await history.commit('original', original, [], 'the original');
  const target = path.join(folder, 'written');
  await expect(history.diff(`--output=${target}`, root)).rejects.toThrow('not the name of a commit');
  await expect(history.read(`--format=%x`)).rejects.toThrow('not the name of a commit');
  await expect(history.commit('c1', original, ['-x'], '')).rejects.toThrow('not the name of a commit');
  await expect(readFile(target)).rejects.toThrow();
});
