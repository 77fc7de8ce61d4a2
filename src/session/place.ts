// Where a session lives on disk: `.kernelseek/sessions/<id>/` in the workspace folder, else beside the task.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { workspaceRoot } from '../runner/workspace.js';

export const FOLDER = '.kernelseek';

/** Names inside a session's folder. */
export const FILES = {
  trace: 'trace.jsonl',
  /** Bare git repository of the candidates. */
  candidates: 'candidates.git',
  /** Where the socket of the process that drives it is. */
  socket: 'socket.json',
  /** The task as it was when the session began. */
  task: 'task.json',
} as const;

/** The workspace folder of a task file; source paths and the trace's task path are relative to it. */
export function workspaceOf(taskFile: string): string {
  return workspaceRoot(path.dirname(path.resolve(taskFile)));
}

/** A new session id: UTC time first, so that names sort by age, then randomness. */
export function newSessionId(now: Date = new Date()): string {
  const stamp = now.toISOString().replace(/\D/g, '').slice(0, 14);
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-${randomBytes(4).toString('hex')}`;
}

const SESSION_ID = /^\d{8}-\d{6}-[0-9a-f]{8}$/;

/** True for names this module makes: what a session folder may be called. */
export function isSessionId(name: string): boolean {
  return SESSION_ID.test(name);
}

export function sessionsFolder(workspace: string): string {
  return path.join(workspace, FOLDER, 'sessions');
}

/**
 * Folder of a session.
 * @throws Error when the id is not one of ours: it becomes part of a path
 */
export function sessionFolder(workspace: string, session: string): string {
  if (!isSessionId(session)) {
    throw new Error(`"${session}" is not a session id; \`kernelseek sessions\` lists the ids there are`);
  }
  return path.join(sessionsFolder(workspace), session);
}

/** Makes the folder of a new session, and the `.gitignore` that keeps `.kernelseek` out of the user's status. */
export async function makeSessionFolder(workspace: string, session: string): Promise<string> {
  const folder = sessionFolder(workspace, session);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(workspace, FOLDER, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  return folder;
}
