// Where sessions live: one workspace folder for any depth, ids that sort, names that cannot lead elsewhere.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSessionId, makeSessionFolder, newSessionId, sessionFolder, workspaceOf } from './place.js';
import { listSessions } from './sessions.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'ks-place-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the workspace is the repository; sessions in it stay out of its status', async () => {
  execFileSync('git', ['init', '-q', folder]);
  await mkdir(path.join(folder, 'a/b'), { recursive: true });
  expect(workspaceOf(path.join(folder, 'a/b/k.task.json'))).toBe(folder);
  const session = await makeSessionFolder(folder, newSessionId());
  await writeFile(path.join(session, 'trace.jsonl'), '');
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: folder }).toString()).toBe('');
  // One's own .gitignore there is not overwritten.
  await writeFile(path.join(folder, '.kernelseek/.gitignore'), '# mine\n');
  await makeSessionFolder(folder, newSessionId());
  expect(await readFile(path.join(folder, '.kernelseek/.gitignore'), 'utf8')).toBe('# mine\n');
});

test('without a repository, where .kernelseek lies already, else beside the task', async () => {
  await mkdir(path.join(folder, 'a/b'), { recursive: true });
  expect(workspaceOf(path.join(folder, 'a/b/k.task.json'))).toBe(path.join(folder, 'a/b'));
  await mkdir(path.join(folder, 'a/.kernelseek'));
  expect(workspaceOf(path.join(folder, 'a/b/k.task.json'))).toBe(path.join(folder, 'a'));
});

test('ids sort by time and are the only names a session folder can have', () => {
  const early = newSessionId(new Date('2026-01-02T03:04:05Z'));
  const late = newSessionId(new Date('2026-01-02T03:04:06Z'));
  expect(early).toMatch(/^20260102-030405-[0-9a-f]{8}$/);
  expect([late, early].sort()).toEqual([early, late]);
  expect(isSessionId(early)).toBe(true);
  for (const bad of ['..', '../../etc', `${early}/..`, ''])
    expect(() => sessionFolder('/w', bad)).toThrow(/not a session id/);
});

test('a damaged or empty session is listed with what is wrong with it', async () => {
  const [one, two] = [newSessionId(new Date(0)), newSessionId(new Date(1e12))];
  await writeFile(path.join(await makeSessionFolder(folder, one), 'trace.jsonl'), 'x\n{}\n');
  await makeSessionFolder(folder, two);
  expect(await listSessions(folder)).toMatchObject([
    { session: two, error: expect.stringContaining('cannot be read') },
    { session: one, error: expect.stringContaining('line 1: not JSON') },
  ]);
  expect(await listSessions(path.join(folder, 'elsewhere'))).toEqual([]);
});
