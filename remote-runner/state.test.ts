// The state folder: what a kill left is removed, what is not the runner's is not, and nobody else can plant anything in it.
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileStore } from './jobs/files.js';
import { openState } from './state.js';
import { loadToken } from './token.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'ks-state-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('a folder that was there before keeps its mode and whatever else is in it', async () => {
  await chmod(root, 0o755);
  for (const name of ['lock', 'systemd', '0-x', '999999999-left']) {
    await mkdir(path.join(root, 'run', name), { recursive: true });
  }
  const state = await openState(root);
  expect((await readdir(path.join(root, 'run'))).sort()).toEqual(
    ['0-x', 'lock', 'systemd', path.basename(state.run)].sort(),
  );
  expect((await stat(root)).mode & 0o777).toBe(0o755);
  expect((await stat(state.run)).mode & 0o777).toBe(0o700);
  state.dispose();
  expect(await readdir(path.join(root, 'run'))).toEqual(expect.arrayContaining(['0-x', 'lock', 'systemd']));
});

test('open jobs outlive the runner, everything else of it does not; a runner of one owner leaves nothing', async () => {
  const runs = path.join(root, 'run');
  const first = await openState(root);
  await writeFile(path.join(first.open, 'a.jsonl'), '{}');
  first.dispose();
  expect((await readdir(first.run)).sort()).toEqual(['jobs', 'owner.json']);
  // As if it had been another process, which is gone.
  const owner = path.join(first.run, 'owner.json');
  await writeFile(owner, (await readFile(owner, 'utf8')).replace(/"start":"[^"]*"/, '"start":"gone"'));
  const second = await openState(root);
  expect(await readdir(second.open)).toEqual(['a.jsonl']);
  expect(await readdir(runs)).toEqual([path.basename(second.run)]);
  await rm(path.join(second.open, 'a.jsonl'));
  second.dispose();
  const owned = await openState(root, { pid: process.pid, start: 'x' });
  await writeFile(path.join(owned.open, 'b.jsonl'), '{}');
  owned.dispose();
  expect(await readdir(runs)).toEqual([]);
});

test.each(['jobs', 'files', 'cache', 'run'])('%s that is a link is refused in words', async (name) => {
  const elsewhere = path.join(root, 'elsewhere');
  await mkdir(elsewhere);
  await symlink(elsewhere, path.join(root, name));
  await expect(openState(root)).rejects.toThrow(`${name} is not a folder (links are not followed)`);
  expect(await readdir(elsewhere)).toEqual([]);
});

test('a folder that others may write to is refused in words', async () => {
  await mkdir(path.join(root, 'files'));
  await chmod(path.join(root, 'files'), 0o777);
  await expect(openState(root)).rejects.toThrow('files can be written to by other users');
  await chmod(root, 0o777);
  await expect(openState(root)).rejects.toThrow('can be written to by every user');
});

test('a token that is a link is not taken for ours', async () => {
  const known = path.join(root, 'known');
  await writeFile(known, 'a-token-that-somebody-else-knows\n');
  await symlink(known, path.join(root, 'token'));
  const load = loadToken({ environment: {}, generatedFile: path.join(root, 'token') }, () => undefined);
  await expect(load).rejects.toThrow('links are not followed');
  expect((await stat(known)).mode & 0o777).not.toBe(0o600);
});

test('a link in the place of an uploaded file is not there; one that is in use outlives a clock that was set', async () => {
  const bytes = 'int x;';
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = new FileStore(path.join(root, 'files'));
  await mkdir(path.dirname(files.stored(sha256)), { recursive: true });
  await symlink('/etc/passwd', files.stored(sha256));
  expect(await files.missing([sha256])).toEqual([sha256]);
  const receiver = files.receiver();
  await receiver.put({ sha256, size: bytes.length, offset: 0, data: Buffer.from(bytes).toString('base64') });
  await receiver.close();
  expect(await readFile(files.stored(sha256), 'utf8')).toBe(bytes);
  expect(await files.missing([sha256])).toEqual([]);
  await files.sweep(-1000, new Set([sha256]));
  expect(await files.missing([sha256])).toEqual([]);
  await files.sweep(-1000, new Set());
  expect(await files.missing([sha256])).toEqual([sha256]);
});
