// The sessions of a workspace folder, for listing and for finding one by its id.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { SessionState } from './fold.js';
import { fold } from './fold.js';
import { isLocked } from './lock.js';
import { isSessionId, sessionsFolder } from './place.js';
import { readTrace } from './trace.js';

export type SessionListing =
  | {
      session: string;
      folder: string;
      state: SessionState;
      /** A process drives it right now. */
      running: boolean;
      warning?: string;
    }
  /** It is there but cannot be read; `error` says why. */
  | { session: string; folder: string; error: string };

/** Sessions below `workspace`, newest first. A damaged one is listed with its error, never an exception. */
export async function listSessions(workspace: string): Promise<SessionListing[]> {
  const root = sessionsFolder(workspace);
  let names: string[];
  try {
    names = await readdir(root);
  } catch {
    return [];
  }
  const sessions = names.filter(isSessionId).sort().reverse();
  return Promise.all(sessions.map((session) => readSession(path.join(root, session))));
}

/** One session by its folder. */
export async function readSession(folder: string): Promise<SessionListing> {
  const session = path.basename(folder);
  try {
    const { events, warning } = await readTrace(folder);
    const state = fold(events);
    if (!state) return { session, folder, error: 'its trace is empty: it broke off before it started' };
    return { session, folder, state, running: await isLocked(folder), ...(warning !== undefined && { warning }) };
  } catch (error) {
    return { session, folder, error: error instanceof Error ? error.message : String(error) };
  }
}
