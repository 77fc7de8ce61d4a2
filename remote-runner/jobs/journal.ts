// Jobs on disk, one JSON-lines file each. While a job is open: its parameters, each start, its events. Once it has ended: its
// last events alone, written whole and moved into place, so that what is there is complete.
import { closeSync, constants, mkdirSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Log } from '../log.js';
import type { JobEvent, JobParams } from '../protocol.js';
import { jobEvent, jobParams } from '../protocol.js';
import { type Attempts, Job } from './job.js';

const header = z.object({
  job: z.string(),
  hash: z.string(),
  client: z.string().optional(),
  params: z.unknown().optional(),
});
const attempts = z.object({ starts: z.number().int().min(0), lost: z.number().int().min(0) });
/** A disk that stays full must not cost the memory too. */
const MOST_UNRECORDED = 256;
const NEVER_BEGUN = { attempts: { starts: 0, lost: 0 }, seq: 0 };
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** A job that a runner before this one did not finish. */
export interface Unfinished {
  id: string;
  hash: string;
  client: string;
  params: JobParams;
  attempts: Attempts;
  /** Of the last event on disk; clients may have seen later ones. */
  seq: number;
}

export class Journal {
  /** Writes are in order per job; a full disk costs durability, never the job. */
  private readonly tails = new Map<string, Promise<void>>();
  /** Jobs of which a failed write has been told. */
  private readonly told = new Set<string>();
  /** Jobs that ended and are not on disk. */
  private readonly unrecorded = new Set<Job>();

  /** @param folders of jobs that ended, and of those still open; both are made where they are missing */
  constructor(
    private readonly folders: { ended: string; open: string },
    private readonly log: Log,
  ) {
    for (const folder of [folders.ended, folders.open]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Resolves when the job would survive the runner and the machine. */
  opened(job: Job): Promise<void> {
    const { id, hash, client, params } = job;
    return this.write(job.id, { job: id, hash, client, params }, 'sync');
  }

  /** To be told before a run begins, as if it were lost, and when it is broken off in good order. */
  attempted(job: Job, so: Attempts): Promise<void> {
    return this.write(job.id, so, 'sync');
  }

  appended(event: JobEvent, sync?: 'sync'): Promise<void> {
    return this.write(event.job, event, sync);
  }

  /**
   * Replaces the file by what is still worth keeping; resolves when that is on disk. What a full disk did not take is written
   * when the next job ends.
   */
  async ended(job: Job): Promise<void> {
    await this.record(job);
    if (this.unrecorded.has(job)) return;
    for (const other of this.unrecorded) await this.record(other);
  }

  private async record(job: Job): Promise<void> {
    this.unrecorded.add(job);
    if (this.unrecorded.size > MOST_UNRECORDED) this.unrecorded.delete([...this.unrecorded][0]!);
    const lines = [{ job: job.id, hash: job.hash }, ...job.retained].map((l) => `${JSON.stringify(l)}\n`);
    const target = file(this.folders.ended, job.id);
    await this.enqueue(job.id, async () => {
      const temporary = `${target}.new`;
      await rm(temporary, { force: true });
      await put(temporary, lines.join(''), O_CREAT | O_EXCL, 'sync');
      await rename(temporary, target);
      await rm(file(this.folders.open, job.id), { force: true });
      this.unrecorded.delete(job);
    });
    this.tails.delete(job.id);
    this.told.delete(job.id);
  }

  /** A job that ended before, in this run or an earlier one. Synchronous, so that two submissions cannot race past it. */
  find(id: string): Job | undefined {
    const lines = readLines(file(this.folders.ended, id));
    if (!lines) return undefined;
    try {
      const { hash } = header.parse(JSON.parse(lines[0] ?? ''));
      const events = lines.slice(1).map((line) => jobEvent.parse(JSON.parse(line)));
      const job = new Job(id, hash, undefined, { events });
      return job.ended ? job : undefined;
    } catch (error) {
      this.log(`job ${id}: its journal is damaged and is ignored (${(error as Error).message})`);
      return undefined;
    }
  }

  /** What runners before this one did not finish; a journal that cannot be understood is told and removed. */
  async unfinished(): Promise<Unfinished[]> {
    const found: Unfinished[] = [];
    for (const name of readdirSync(this.folders.open).sort()) {
      const id = /^([A-Za-z0-9_-]{1,64})\.jsonl$/.exec(name)?.[1];
      const job = id === undefined ? undefined : this.readOpen(id);
      if (job) found.push(job);
      else await rm(path.join(this.folders.open, name), { recursive: true, force: true });
    }
    return found;
  }

  /** Removes what is older than `maxAgeMs`, and the oldest beyond `most` jobs. */
  async sweep(maxAgeMs: number, most: number): Promise<void> {
    const names = await readdir(this.folders.ended);
    const entries = await Promise.all(
      names.map(async (name) => {
        const at = path.join(this.folders.ended, name);
        return { file: at, at: (await stat(at).catch(() => undefined))?.mtimeMs ?? 0 };
      }),
    );
    entries.sort((a, b) => b.at - a.at);
    const old = entries.filter((e, i) => i >= most || Date.now() - e.at > maxAgeMs);
    await Promise.all(old.map((e) => rm(e.file, { force: true })));
  }

  private readOpen(id: string): Unfinished | undefined {
    // It ended, and the kill came before its open file was removed.
    if (this.find(id)) return undefined;
    const lines = readLines(file(this.folders.open, id)) ?? [];
    try {
      const { hash, client = id, params } = header.parse(JSON.parse(lines[0] ?? ''));
      const job: Unfinished = { id, hash, client, params: jobParams.parse(params), ...NEVER_BEGUN };
      for (const line of lines.slice(1)) {
        const said = parsed(line);
        // Lines may be torn, by a kill or a full disk: one that is not understood was progress that nobody needs any more.
        const event = jobEvent.safeParse(said);
        if (event.success) job.seq = Math.max(job.seq, event.data.seq);
        job.attempts = attempts.safeParse(said).data ?? job.attempts;
      }
      return job;
    } catch (error) {
      this.log(`job ${id}: was not finished, and its journal is damaged: it is lost (${(error as Error).message})`);
      return undefined;
    }
  }

  private write(id: string, what: object, sync?: 'sync'): Promise<void> {
    const line = `${JSON.stringify(what)}\n`;
    return this.enqueue(id, () => put(file(this.folders.open, id), line, O_CREAT | O_APPEND, sync));
  }

  private enqueue(id: string, write: () => Promise<void>): Promise<void> {
    const tail = (this.tails.get(id) ?? Promise.resolve()).then(write).catch((error: Error) => {
      if (this.told.has(id)) return;
      this.told.add(id);
      this.log(`job ${id}: its journal could not be written (${error.message})`);
    });
    this.tails.set(id, tail);
    return tail;
  }
}

const file = (folder: string, id: string): string => path.join(folder, `${id}.jsonl`);

/** Writes through no link: what another user may have planted there is not ours to write to. */
async function put(target: string, text: string, flags: number, sync?: 'sync'): Promise<void> {
  const handle = await open(target, O_WRONLY | O_NOFOLLOW | flags, 0o600);
  try {
    await handle.appendFile(text);
    if (sync) await handle.datasync();
  } finally {
    await handle.close();
  }
}

function readLines(from: string): string[] | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(from, constants.O_RDONLY | O_NOFOLLOW);
    return readFileSync(handle, 'utf8').trimEnd().split('\n');
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
