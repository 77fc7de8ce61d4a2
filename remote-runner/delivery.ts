// Sends the events of watched jobs to one client, no faster than it reads them.
import type { Job } from './jobs/job.js';
import type { JobEvent } from './protocol.js';

/** Unsent bytes above which sending waits: what a slow client has not read stays in the job, not in its socket. */
const LOW_WATER = 2 ** 20;

export class Delivery {
  private readonly watched = new Map<string, { job: Job; sent: number; unwatch: () => void }>();

  /**
   * @param send hands the event to the socket
   * @param unsent bytes waiting in the socket; whoever owns it calls `pump` when they have become fewer
   */
  constructor(
    private readonly send: (event: JobEvent) => void,
    private readonly unsent: () => number,
  ) {}

  /** Replays what comes after `after` and follows the job from there. */
  follow(job: Job, after: number): void {
    this.watched.get(job.id)?.unwatch();
    const unwatch = job.watch(() => this.pump());
    this.watched.set(job.id, { job, sent: after, unwatch });
    // The answer to the request goes first.
    setImmediate(() => this.pump());
  }

  /** Sends what there is, until the socket is full. */
  pump(): void {
    for (const entry of this.watched.values()) {
      for (;;) {
        if (this.unsent() > LOW_WATER) return;
        const next = entry.job.after(entry.sent);
        if (!next) break;
        entry.sent = next.seq;
        this.send(next);
      }
      if (entry.job.over) this.unwatch(entry.job.id);
    }
  }

  private unwatch(id: string): void {
    this.watched.get(id)?.unwatch();
    this.watched.delete(id);
  }

  close(): void {
    for (const id of [...this.watched.keys()]) this.unwatch(id);
  }
}
