// All jobs of the runner: submitted once however often the client asks, queued, run, kept for whoever comes back.
import { createHash } from 'node:crypto';
import type { Evaluator } from '../evaluate/evaluator.js';
import type { Log } from '../log.js';
import type { JobEventBody, JobParams } from '../protocol.js';
import type { FileStore } from './files.js';
import { Job } from './job.js';
import type { Journal } from './journal.js';
import { Queue } from './queue.js';
import { runJob } from './run.js';

export interface JobStoreOptions {
  evaluator: Evaluator;
  files: FileStore;
  journal: Journal;
  /** Folder for the jobs' scratch folders. */
  scratch: string;
  /** Jobs evaluated at the same time. */
  concurrency: number;
  /** Jobs waiting or running, above which a submission is refused. */
  mostWaiting: number;
  log: Log;
}

/** Ended jobs kept in memory; older ones are read from the journal when asked for. */
const MOST_ENDED = 256;

export type Submission =
  | { kind: 'accepted'; job: Job; attached: boolean }
  | { kind: 'conflict' }
  | { kind: 'too many'; waiting: number }
  | { kind: 'missing files'; sha256: string[] }
  | { kind: 'wrong size'; path: string };

export class JobStore {
  private readonly jobs = new Map<string, Job>();
  private readonly queue: Queue;
  private closing = false;

  constructor(private readonly options: JobStoreOptions) {
    this.queue = new Queue(options.concurrency);
  }

  /** Starts the job, or finds the one that has this id and the same content. */
  async submit(id: string, params: JobParams): Promise<Submission> {
    const hash = createHash('sha256').update(JSON.stringify(params)).digest('hex');
    const known = this.known(id, hash);
    if (known) return known;
    const { files } = params.task;
    const missing = await this.options.files.missing(files.map((f) => f.sha256));
    if (missing.length > 0) return { kind: 'missing files', sha256: missing };
    const wrong = await this.options.files.wrongSize(files);
    if (wrong) return { kind: 'wrong size', path: wrong.path };
    // Asked again, since another connection may have submitted it meanwhile; nothing is awaited from here on.
    return this.known(id, hash) ?? this.create(id, hash, params);
  }

  /** The job, also one that ended in an earlier run of the runner. */
  find(id: string): Job | undefined {
    const here = this.jobs.get(id);
    if (here) return here;
    const earlier = this.options.journal.find(id);
    if (earlier) this.keep(earlier);
    return earlier;
  }

  /**
   * Stops all jobs and waits for them. They are not told as cancelled, nor recorded as ended: nobody asked for that, and a
   * client that finds the runner again submits them anew.
   */
  async close(): Promise<void> {
    this.closing = true;
    for (const job of this.jobs.values()) job.controller.abort();
    await this.queue.drained();
  }

  private known(id: string, hash: string): Submission | undefined {
    const job = this.find(id);
    if (!job) return undefined;
    return job.hash === hash ? { kind: 'accepted', job, attached: true } : { kind: 'conflict' };
  }

  private create(id: string, hash: string, params: JobParams): Submission {
    if (this.closing || this.queue.size >= this.options.mostWaiting) {
      return { kind: 'too many', waiting: this.queue.size };
    }
    const job = new Job(id, hash, params);
    this.keep(job);
    this.options.journal.opened(job);
    const run = (): Promise<void> =>
      this.run(job).catch((error: Error) => this.options.log(`job ${id}: internal error: ${error.stack}`));
    const ahead = this.queue.add(run, job.controller.signal);
    if (ahead > 0) this.publish(job, { type: 'phase', phase: 'queued', detail: `${ahead} ahead in the queue` });
    this.options.log(`job ${id}: ${params.kind}, ${ahead} ahead`);
    return { kind: 'accepted', job, attached: false };
  }

  private async run(job: Job): Promise<void> {
    const { evaluator, files, journal, scratch, log } = this.options;
    const last = await runJob(job, evaluator, {
      scratch,
      stored: (sha256) => files.stored(sha256),
      publish: (body) => this.publish(job, body),
    });
    if (this.closing) return;
    job.append(last);
    // On disk before anyone is told: a verdict once seen is the one a later client gets.
    await journal.ended(job);
    job.notify();
    log(`job ${job.id}: ${last.type === 'ended' ? `${last.reason}: ${last.message}` : last.type}`);
  }

  private publish(job: Job, body: JobEventBody): void {
    this.options.journal.appended(job.append(body));
    job.notify();
  }

  private keep(job: Job): void {
    this.jobs.set(job.id, job);
    let ended = [...this.jobs.values()].filter((j) => j.ended);
    if (ended.length > MOST_ENDED) {
      ended = ended.slice(0, ended.length - MOST_ENDED);
      for (const old of ended) this.jobs.delete(old.id);
    }
  }
}
