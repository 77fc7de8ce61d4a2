// All jobs of the runner: submitted once however often the client asks, queued, run, kept for whoever comes back.
import { createHash } from 'node:crypto';
import type { Evaluator } from '../evaluate/evaluator.js';
import type { Log } from '../log.js';
import type { JobEventBody, JobParams } from '../protocol.js';
import type { FileStore } from './files.js';
import { Job } from './job.js';
import type { Journal, Unfinished } from './journal.js';
import { type Place, Queue } from './queue.js';
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
  /** Parameters of these jobs, characters of JSON, above which it is refused too. */
  mostHeld?: number;
  /** Milliseconds that a cancelled job has to stop by itself. */
  graceMs?: number;
  log: Log;
}

/** Ended jobs kept in memory; older ones are read from the journal when asked for. */
const MOST_ENDED = 256;
/** A job at which the runner went down this often is what brings it down. */
const MOST_LOST = 3;
const GRACE_MS = 4000;
const MOST_HELD = 256 * 2 ** 20;

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

  /** Takes up what runners before this one did not finish. To be called once, before clients are let in. */
  async restore(): Promise<void> {
    for (const found of await this.options.journal.unfinished()) await this.takeUp(found);
  }

  /**
   * Starts the job, or finds the one that has this id and the same content.
   * @param client who takes turns with other clients
   */
  async submit(id: string, params: JobParams, client: string): Promise<Submission> {
    const text = JSON.stringify(params);
    const hash = createHash('sha256').update(text).digest('hex');
    const known = this.known(id, hash);
    if (known) return known;
    const { files } = params.task;
    const missing = await this.options.files.missing(files.map((f) => f.sha256));
    if (missing.length > 0) return { kind: 'missing files', sha256: missing };
    const wrong = await this.options.files.wrongSize(files);
    if (wrong) return { kind: 'wrong size', path: wrong.path };
    // Asked again, since another connection may have submitted it meanwhile; nothing is awaited up to where it is kept.
    return this.known(id, hash) ?? this.create(new Job(id, hash, params, { client, size: text.length }), params.kind);
  }

  /** The job, also one that ended in an earlier run of the runner. */
  find(id: string): Job | undefined {
    const here = this.jobs.get(id);
    if (here) return here;
    const earlier = this.options.journal.find(id);
    if (earlier) this.keep(earlier);
    return earlier;
  }

  /** Hashes of the read-only files that jobs which have not ended still need. */
  filesInUse(): Set<string> {
    return new Set([...this.jobs.values()].flatMap((job) => job.params?.task.files.map((f) => f.sha256) ?? []));
  }

  /**
   * Stops all jobs and waits for them. They are not told as cancelled, nor recorded as ended: nobody asked for that, and the
   * next runner takes them up.
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

  private async create(job: Job, kind: JobParams['kind']): Promise<Submission> {
    const held = [...this.jobs.values()].reduce((sum, { params, size }) => sum + (params ? size : 0), 0);
    const { mostWaiting, mostHeld = MOST_HELD } = this.options;
    if (this.closing || this.queue.size >= mostWaiting || held + job.size > mostHeld) {
      return { kind: 'too many', waiting: this.queue.size };
    }
    this.keep(job);
    const kept = this.options.journal.opened(job);
    this.enqueue(job);
    this.options.log(`job ${job.id}: ${kind}, ${this.queue.size} running or waiting`);
    // A client that has its answer need not fear for the job.
    await kept;
    return { kind: 'accepted', job, attached: false };
  }

  private async takeUp({ id, hash, client, params, attempts, seq }: Unfinished): Promise<void> {
    const { log, journal } = this.options;
    const size = JSON.stringify(params).length;
    const job = new Job(id, hash, params, { client, size, before: { attempts, seq } });
    this.keep(job);
    if (attempts.lost >= MOST_LOST) {
      const message = `The runner went down ${attempts.lost} times while it was at this job: it may be what brings it down.`;
      log(`job ${id}: given up after ${attempts.lost} runs`);
      await this.end(job, { type: 'ended', reason: 'infrastructure', message });
      return;
    }
    const detail =
      attempts.starts > 0
        ? `the runner was started again while it was at this job; it is run anew (run ${attempts.starts + 1})`
        : 'the runner was started again; this job still waits';
    // On disk before anyone can see it: the numbers that a later runner gives must lie above those told here.
    await journal.appended(job.append({ type: 'phase', phase: 'queued', detail }), 'sync');
    log(`job ${id}: ${detail}`);
    this.enqueue(job);
  }

  private enqueue(job: Job): void {
    const run = (): Promise<void> =>
      this.run(job).catch((error: Error) => this.options.log(`job ${job.id}: internal error: ${error.stack}`));
    this.queue.add({
      client: job.client,
      signal: job.controller.signal,
      run,
      // Once may be anybody's fault; twice is a suspicion.
      alone: job.attempts.lost >= MOST_LOST - 1,
      waits: (place) =>
        this.publish(job, { type: 'phase', phase: 'queued', ...inWords(place, this.queue.concurrency) }),
    });
  }

  private async run(job: Job): Promise<void> {
    const { evaluator, files, journal, scratch, graceMs = GRACE_MS } = this.options;
    const { starts, lost } = job.attempts;
    const begins = !job.controller.signal.aborted;
    if (begins) await journal.attempted(job, { starts: starts + 1, lost: lost + 1 });
    const last = await runJob(job, evaluator, {
      scratch,
      graceMs,
      stored: (sha256) => files.stored(sha256),
      keep: (file) => files.keep(file),
      publish: (body) => this.publish(job, body),
    });
    if (!this.closing) return this.end(job, last);
    if (begins) await journal.attempted(job, { starts: starts + 1, lost });
  }

  private async end(job: Job, last: JobEventBody): Promise<void> {
    job.append(last);
    // On disk before anyone is told: a verdict once seen is the one a later client gets.
    await this.options.journal.ended(job);
    job.notify();
    const said = last.type === 'ended' ? `${last.reason}: ${last.message}` : last.type;
    this.options.log(`job ${job.id}: ${said}`);
  }

  private publish(job: Job, body: JobEventBody): void {
    // A job that did not stop when it was told to may still say something.
    if (job.ended) return;
    void this.options.journal.appended(job.append(body));
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

function inWords({ ahead, others }: Place, slots: number): { detail: string; ahead: number } {
  const whose = others === 0 ? '' : others === ahead ? ', of other clients' : `, ${others} of them of other clients`;
  const before = ahead === 0 ? 'next' : `${ahead} ahead${whose}`;
  return { ahead, detail: `${before}; waits for one of ${slots === 1 ? '1 slot' : `${slots} slots`}` };
}
