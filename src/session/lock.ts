// One writer per session folder. A holder is the highest `lock.<n>`; whoever finds it dead makes `lock.<n+1>`, which only one can.
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';

const holder = z.object({
  pid: z.number().int().positive(),
  host: z.string(),
  /** Start time of the process where the system tells it: a process id may be used again. */
  started: z.string().optional(),
});
type Holder = z.infer<typeof holder>;

export class SessionLocked extends Error {
  constructor(pid: number, host: string, file: string) {
    super(
      `another process (${pid} on ${host}) drives this session; stop it first` +
        (host === os.hostname() ? '' : `, or remove ${file} if that process is gone`),
    );
    this.name = 'SessionLocked';
  }
}

export interface Lock {
  release(): Promise<void>;
}

/**
 * Takes the lock; that of a dead process is taken over.
 * @throws SessionLocked
 */
export async function takeLock(folder: string): Promise<Lock> {
  const started = await startOf(process.pid);
  const me: Holder = { pid: process.pid, host: os.hostname(), ...(started !== undefined && { started }) };
  // Written aside and linked, so that a lock file is never seen half written.
  const aside = path.join(folder, `lock-${process.pid}-${randomBytes(4).toString('hex')}`);
  await writeFile(aside, JSON.stringify(me), { flag: 'wx' });
  try {
    for (;;) {
      const current = await highest(folder);
      if (current?.holder && (await isAlive(current.holder))) {
        throw new SessionLocked(current.holder.pid, current.holder.host, current.file);
      }
      const mine = path.join(folder, `lock.${(current?.generation ?? 0) + 1}`);
      try {
        await link(aside, mine);
        return { release: () => rm(mine, { force: true }) };
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
    }
  } finally {
    await rm(aside, { force: true });
  }
}

/** True while a live process holds the lock. */
export async function isLocked(folder: string): Promise<boolean> {
  const current = await highest(folder);
  return current?.holder !== undefined && (await isAlive(current.holder));
}

/** The newest lock file; older ones were left by processes that died. */
async function highest(folder: string): Promise<{ generation: number; file: string; holder?: Holder } | undefined> {
  let generation = 0;
  for (const name of await readdir(folder)) {
    const match = /^lock\.(\d{1,9})$/.exec(name);
    if (match) generation = Math.max(generation, Number(match[1]));
  }
  if (generation === 0) return undefined;
  const file = path.join(folder, `lock.${generation}`);
  try {
    return { generation, file, holder: holder.parse(JSON.parse(await readFile(file, 'utf8'))) };
  } catch {
    // Released meanwhile, or not ours: nobody holds it.
    return { generation, file };
  }
}

async function isAlive(who: Holder): Promise<boolean> {
  if (who.host !== os.hostname()) return true;
  try {
    process.kill(who.pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const started = await startOf(who.pid);
  return started === undefined || who.started === undefined || started === who.started;
}

/** Start time of a process in clock ticks since boot, on Linux. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; fields are counted after it. Start time is field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie holds nothing any more.
    return fields[0] === 'Z' ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}
