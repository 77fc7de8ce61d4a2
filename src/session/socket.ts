// The socket of a running session, for its owner only. Its path is short, since such paths are limited to some hundred bytes;
// the session's folder records it.
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { FILES } from './place.js';

const record = z.object({ path: z.string() });
const NAME = /^[0-9a-f]{16}\.sock$/;

export interface ServedSocket {
  /** Stops listening and removes the socket; connections that are open stay. */
  close(): Promise<void>;
}

/**
 * Listens for clients of the session in `folder`.
 * @throws Error when the runtime folder is not ours alone, or the system has no such sockets
 */
export async function serveSocket(
  folder: string,
  onConnection: (socket: net.Socket) => void,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServedSocket> {
  const runtime = await runtimeFolder(env);
  const file = path.join(runtime, `${randomBytes(8).toString('hex')}.sock`);
  const server = net.createServer(onConnection);
  // The folder keeps others out already; the socket is never open to them either, not even for a moment.
  const umask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(file, resolve);
      process.umask(umask);
    });
  } finally {
    process.umask(umask);
  }
  await chmod(file, 0o600);
  const told = path.join(folder, FILES.socket);
  await writeFile(told, JSON.stringify({ path: file }), { mode: 0o600 });
  return {
    close: async () => {
      server.close();
      await Promise.all([rm(file, { force: true }), rm(told, { force: true })]);
    },
  };
}

/**
 * A connection to the process that drives the session in `folder`.
 * @throws Error when it serves no socket, or what the folder names is not a socket of ours
 */
export async function connectSocket(folder: string): Promise<net.Socket> {
  let file: string;
  try {
    file = record.parse(JSON.parse(await readFile(path.join(folder, FILES.socket), 'utf8'))).path;
  } catch (error) {
    throw new Error(`the session in ${folder} cannot be attached to: it serves no socket`, { cause: error });
  }
  // A session folder may come with somebody's workspace: it must not lead us to a socket of another program.
  if (!NAME.test(path.basename(file)) || !path.isAbsolute(file))
    throw new Error(`${file} is not a socket of a session`);
  await requireOwn(path.dirname(file));
  return new Promise((resolve, reject) => {
    const socket = net.connect(file);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) =>
      reject(new Error(`the session in ${folder} cannot be attached to: ${error.message}`, { cause: error })),
    );
  });
}

async function runtimeFolder(env: NodeJS.ProcessEnv): Promise<string> {
  const folder = env['XDG_RUNTIME_DIR']
    ? path.join(env['XDG_RUNTIME_DIR'], 'kernelseek')
    : path.join(os.tmpdir(), `kernelseek-${os.userInfo().uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await requireOwn(folder);
  return folder;
}

/** @throws Error for a folder that others may write to, or that is not ours */
async function requireOwn(folder: string): Promise<void> {
  const stat = await lstat(folder);
  const own = stat.isDirectory() && stat.uid === os.userInfo().uid && (stat.mode & 0o077) === 0;
  if (!own) throw new Error(`${folder} must be a folder of yours that nobody else may enter (mode 0700)`);
}
