// The socket of a session: its owner's alone, and never one that somebody else's folder names.
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectSocket, serveSocket } from './socket.js';

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'ks-socket-'));
  folder = path.join(root, 'session');
  await mkdir(folder);
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('serves who finds it through the folder, for the owner only, and is gone afterwards', async () => {
  const served = await serveSocket(folder, (socket) => socket.end('here'), { XDG_RUNTIME_DIR: root });
  const record = path.join(folder, 'socket.json');
  const { path: file } = JSON.parse(await readFile(record, 'utf8')) as { path: string };
  expect([await stat(file), await stat(record), await stat(path.dirname(file))].map((s) => s.mode & 0o777)).toEqual([
    0o600, 0o600, 0o700,
  ]);
  const socket = await connectSocket(folder);
  const chunks: string[] = [];
  for await (const chunk of socket.setEncoding('utf8')) chunks.push(String(chunk));
  expect(chunks.join('')).toBe('here');
  await served.close();
  await expect(connectSocket(folder)).rejects.toThrow('serves no socket');
});

test('a folder that others may enter is refused, at both ends', async () => {
  await mkdir(path.join(root, 'kernelseek'));
  await chmod(path.join(root, 'kernelseek'), 0o755);
  await expect(serveSocket(folder, () => undefined, { XDG_RUNTIME_DIR: root })).rejects.toThrow(/mode 0700/);
  await writeFile(
    path.join(folder, 'socket.json'),
    JSON.stringify({ path: path.join(root, 'kernelseek', `${'0'.repeat(16)}.sock`) }),
  );
  await expect(connectSocket(folder)).rejects.toThrow(/mode 0700/);
});

test('a session folder cannot lead to the socket of another program', async () => {
  const other = path.join(root, 'docker.sock');
  const server = net.createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(other, resolve));
  for (const named of [other, 'relative.sock', `${'0'.repeat(16)}.sock`, 17]) {
    await writeFile(path.join(folder, 'socket.json'), JSON.stringify({ path: named }));
    await expect(connectSocket(folder)).rejects.toThrow(/is not a socket of a session|serves no socket/);
  }
  server.close();
});
