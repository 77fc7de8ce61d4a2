// The runner's state folder, and the part of it that lives only as long as this process.
import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

export interface State {
  /** Generated token, kept over restarts. */
  tokenFile: string;
  jobs: string;
  files: string;
  /** For the evaluator: builds and compiled host programs. */
  cache: string;
  /** Of this process alone; removed when it ends. */
  run: string;
  /** Scratch folders of jobs, below `run`. */
  scratch: string;
  /** Removes `run`; synchronous, for the last moment. */
  dispose(): void;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Run folders are named by process id; those of dead processes were left by a kill. Nothing else here is ours to remove. */
async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1]);
    if (!(pid > 0) || (pid !== process.pid && isAlive(pid))) continue;
    await rm(path.join(folder, name), { recursive: true, force: true });
  }
}

/** Makes the folders, readable by their owner alone; a root that was there before keeps its mode. */
export async function openState(root: string): Promise<State> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const [jobs, files, cache, runs] = ['jobs', 'files', 'cache', 'run'].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [jobs, files, cache, runs]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  await removeStale(runs);
  const run = await mkdtemp(path.join(runs, `${process.pid}-`));
  const scratch = path.join(run, 'scratch');
  await mkdir(scratch);
  return {
    tokenFile: path.join(root, 'token'),
    jobs,
    files,
    cache,
    run,
    scratch,
    dispose: () => rmSync(run, { recursive: true, force: true, maxRetries: 3 }),
  };
}
