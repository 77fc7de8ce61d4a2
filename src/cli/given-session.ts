// The session that a command is given: by its id, its folder, or the newest there is; read whole, trace and state.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { TraceEvent } from '../session/events.js';
import { fold, type SessionState } from '../session/fold.js';
import { FILES, isSessionId } from '../session/place.js';
import { listSessions } from '../session/sessions.js';
import { readTrace } from '../session/trace.js';
import type { CliContext } from './context.js';
import { CliError, EXIT, messageOf } from './exit.js';
import { findSession, workspaceIn } from './sessions.js';

export interface GivenSession {
  session: string;
  folder: string;
  /** Folder that the task's path and the sources' paths are relative to. */
  workspace: string;
  events: readonly TraceEvent[];
  state: SessionState;
  /** What is wrong with the trace, where it could be read all the same. */
  warning?: string;
}

/**
 * @param given id or end of one, or a session's folder; undefined: the newest session of the folder we are in
 * @throws CliError that says what there is
 */
export async function givenSession(given: string | undefined, context: CliContext): Promise<GivenSession> {
  const folder = await folderOf(given, context);
  const session = path.basename(folder);
  try {
    const { events, warning } = await readTrace(folder);
    const state = fold(events);
    if (!state) throw new Error('its trace is empty: it broke off before it started');
    const workspace = path.resolve(folder, '../../..');
    return { session, folder, workspace, events, state, ...(warning !== undefined && { warning }) };
  } catch (error) {
    throw new CliError(`session ${session}: ${messageOf(error)}`, EXIT.bad);
  }
}

async function folderOf(given: string | undefined, context: CliContext): Promise<string> {
  if (given === undefined) {
    const workspace = workspaceIn(context.cwd);
    const [newest] = await listSessions(workspace);
    if (!newest) {
      throw new CliError(
        `there is no session below ${workspace}; \`${context.program} optimize NAME.task.json\` starts one`,
      );
    }
    return newest.folder;
  }
  const place = path.resolve(context.cwd, given);
  const isFolder = existsSync(place) && statSync(place).isDirectory();
  if (isFolder && isSessionId(path.basename(place)) && existsSync(path.join(place, FILES.trace))) return place;
  const { folder } = await findSession(workspaceIn(context.cwd), given);
  return folder;
}
