// Jobs on disk: one JSON-lines file each, the parameters first, then the events; compacted when the job ends.
import { mkdirSync, readFileSync } from 'node:fs';
import { appendFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Log } from '../log.js';
import type { JobEvent } from '../protocol.js';
import { jobEvent } from '../protocol.js';
import { Job } from './job.js';

const header = z.object({ job: z.string(), hash: z.string(), params: z.unknown().optional() });

export class Journal {
  /** Writes are in order per job; a full disk costs durability, never the job. */
  private readonly tails = new Map<string, Promise<void>>();

  constructor(
    private readonly folder: string,
    private readonly log: Log,
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  opened(job: Job): void {
    const line = `${JSON.stringify({ job: job.id, hash: job.hash, params: job.params })}\n`;
    this.enqueue(job.id, () => writeFile(this.file(job.id), line, { mode: 0o600 }));
  }

  appended(event: JobEvent): void {
    this.enqueue(event.job, () => appendFile(this.file(event.job), `${JSON.stringify(event)}\n`));
  }

  /** Replaces the file by what is still worth keeping; resolves when that is on disk. */
  async ended(job: Job): Promise<void> {
    const lines = [{ job: job.id, hash: job.hash }, ...job.retained].map((l) => `${JSON.stringify(l)}\n`);
    const temporary = `${this.file(job.id)}.new`;
    this.enqueue(job.id, async () => {
      await writeFile(temporary, lines.join(''), { mode: 0o600 });
      await rename(temporary, this.file(job.id));
    });
    await this.tails.get(job.id);
    this.tails.delete(job.id);
  }

  /** A job that ended before, in this run or an earlier one. Synchronous, so that two submissions cannot race past it. */
  find(id: string): Job | undefined {
    let lines: string[];
    try {
      lines = readFileSync(this.file(id), 'utf8').trimEnd().split('\n');
    } catch {
      return undefined;
    }
    try {
      const { hash } = header.parse(JSON.parse(lines[0] ?? ''));
      const events = lines.slice(1).map((line) => jobEvent.parse(JSON.parse(line)));
      const job = new Job(id, hash, undefined, events);
      return job.ended ? job : undefined;
    } catch (error) {
      this.log(`job ${id}: its journal is damaged and is ignored (${(error as Error).message})`);
      return undefined;
    }
  }

  /** Removes what is older than `maxAgeMs`, and the oldest beyond `most` jobs. */
  async sweep(maxAgeMs: number, most: number): Promise<void> {
    const names = await readdir(this.folder);
    const entries = await Promise.all(
      names.map(async (name) => {
        const file = path.join(this.folder, name);
        return { file, at: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 };
      }),
    );
    entries.sort((a, b) => b.at - a.at);
    const old = entries.filter((e, i) => i >= most || Date.now() - e.at > maxAgeMs);
    await Promise.all(old.map((e) => rm(e.file, { force: true })));
  }

  private enqueue(id: string, write: () => Promise<void>): void {
    const tail = (this.tails.get(id) ?? Promise.resolve()).then(write).catch((error: Error) => {
      this.log(`job ${id}: its journal could not be written (${error.message})`);
    });
    this.tails.set(id, tail);
  }

  private file(id: string): string {
    return path.join(this.folder, `${id}.jsonl`);
  }
}
