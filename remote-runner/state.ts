// The runner's state folder, and the part of it that lives only as long as this process.
import { lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { identify, isRunning, type ProcessIdentity } from './process-identity.js';
import { killRecorded } from './processes.js';

export interface State {
  /** Generated token, kept over restarts. */
  tokenFile: string;
  /** Jobs that ended. */
  jobs: string;
  files: string;
  /** For the evaluator: builds and compiled host programs. */
  cache: string;
  /** Of this process alone; removed when it ends. */
  run: string;
  /** Scratch folders of jobs, below `run`. */
  scratch: string;
  /** Jobs that have not ended, below `run`; those of a runner before us are here already. */
  open: string;
  /** For temporary files; outside of the state folder, since others than we must be able to enter it. */
  temporary: string;
  /** Processes this runner has started, below `run`. */
  processes: string;
  /** Removes `run`, the open jobs excepted where they are to be taken up again; synchronous, for the last moment. */
  dispose(): void;
}

/** Who is to take up the jobs of a runner that is no more: any runner of the state folder, or the one its owner starts next. */
const owner = z.object({
  runner: z.object({ pid: z.number(), start: z.string() }),
  parent: z.object({ pid: z.number(), start: z.string() }).optional(),
  temporary: z.string().optional(),
});
type Owner = z.infer<typeof owner>;

const FOLDERS = ['jobs', 'files', 'cache', 'run'] as const;
const OWNER = 'owner.json';
const OPEN = 'jobs';
const TEMPORARY = 'kernelseek-runner-';
const PROCESSES = 'processes';

/** A folder of the state that cannot be used; the message says what to do. */
export class StateError extends Error {}

const REMEDY = 'remove it, or name another state folder with --state.';

/**
 * A folder that others may write to, or a link that leads elsewhere, would let them plant jobs and files: whoever does that
 * runs programs as us.
 */
function makeOurs(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found) return void mkdirSync(folder, { mode: 0o700 });
  const why = !found.isDirectory()
    ? 'is not a folder (links are not followed)'
    : process.getuid !== undefined && found.uid !== process.getuid()
      ? 'belongs to another user'
      : found.mode & 0o022
        ? 'can be written to by other users'
        : undefined;
  if (why !== undefined) throw new StateError(`${folder} ${why}: ${REMEDY}`);
}

function ownerOf(folder: string): Owner | undefined {
  try {
    return owner.parse(JSON.parse(readFileSync(path.join(folder, OWNER), 'utf8')));
  } catch {
    // A kill before it was written.
    const pid = Number(/^(\d+)-/.exec(path.basename(folder))?.[1]);
    const running = identify(pid);
    return running && { runner: running };
  }
}

/**
 * Run folders are named by process id; those of dead processes were left by a kill. Ends what they have left running, takes
 * their open jobs over where these are ours to take, and removes them. Nothing else here is ours to remove.
 */
async function takeOver(runs: string, own: string, parent: ProcessIdentity | undefined): Promise<void> {
  for (const name of await readdir(runs)) {
    const folder = path.join(runs, name);
    if (!(Number(/^(\d+)-/.exec(name)?.[1]) > 0) || folder === own) continue;
    const left = ownerOf(folder);
    if (left && isRunning(left.runner)) continue;
    killRecorded(path.join(folder, PROCESSES));
    await removeTemporary(left?.temporary);
    const isOurs = parent ? isSame(left?.parent, parent) : left?.parent === undefined;
    if (isOurs) {
      await adopt(path.join(folder, OPEN), path.join(own, OPEN));
    } else if (holdsJobs(folder) && (!left?.parent || isRunning(left.parent))) {
      continue; // Somebody else comes for them.
    }
    await rm(folder, { recursive: true, force: true });
  }
}

/** Only what one of us can have made: the name comes from a file. */
async function removeTemporary(folder: string | undefined): Promise<void> {
  if (folder === undefined || !path.basename(folder).startsWith(TEMPORARY)) return;
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() && found.uid === process.getuid?.()) await rm(folder, { recursive: true, force: true });
}

const isSame = (a: ProcessIdentity | undefined, b: ProcessIdentity): boolean =>
  a !== undefined && a.pid === b.pid && a.start === b.start;

/** File by file: of two runners that start at the same moment, each gets what it could move. */
async function adopt(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch(() => []);
  for (const name of names) await rename(path.join(from, name), path.join(to, name)).catch(() => undefined);
}

function holdsJobs(folder: string): boolean {
  try {
    return readdirSync(path.join(folder, OPEN)).length > 0;
  } catch {
    return false;
  }
}

/**
 * Makes the folders, readable by their owner alone; a root that was there before keeps its mode.
 * @param parent the process that owns this runner and ends with it, if there is one
 * @throws StateError
 */
export async function openState(root: string, parent?: ProcessIdentity): Promise<State> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const [jobs, files, cache, runs] = FOLDERS.map((name) => path.join(root, name)) as [string, string, string, string];
  if (statSync(root).mode & 0o002) throw new StateError(`${root} can be written to by every user: ${REMEDY}`);
  for (const folder of [jobs, files, cache, runs]) makeOurs(folder);
  const run = await mkdtemp(path.join(runs, `${process.pid}-`));
  const temporary = await mkdtemp(path.join(tmpdir(), TEMPORARY));
  await chmod(temporary, 0o711);
  const runner = identify(process.pid) ?? { pid: process.pid, start: '' };
  const self: Owner = { runner, temporary, ...(parent ? { parent } : {}) };
  writeFileSync(path.join(run, OWNER), JSON.stringify(self), { mode: 0o600 });
  const [scratch, open] = [path.join(run, 'scratch'), path.join(run, OPEN)];
  await mkdir(scratch);
  await mkdir(open, { mode: 0o700 });
  await takeOver(runs, run, parent);
  return {
    tokenFile: path.join(root, 'token'),
    jobs,
    files,
    cache,
    run,
    scratch,
    open,
    temporary,
    processes: path.join(run, PROCESSES),
    dispose: () => {
      rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
      // Without its owner nobody asks for the jobs of a runner of one owner.
      const kept = parent === undefined && holdsJobs(run) ? new Set([OPEN, OWNER]) : new Set<string>();
      for (const name of readdirSync(run)) {
        if (!kept.has(name)) rmSync(path.join(run, name), { recursive: true, force: true, maxRetries: 3 });
      }
      if (kept.size === 0) rmSync(run, { recursive: true, force: true });
    },
  };
}
