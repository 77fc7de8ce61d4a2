// One job: its event log with gapless sequence numbers, and those who watch it.
import type { JobEvent, JobEventBody, JobParams } from '../protocol.js';

/** Events kept for replay; older progress goes first, the last event of a job never does. */
const MOST_EVENTS = 1024;
/**
 * A job that a later runner takes up numbers its events from this far on: its client may have seen more of them than had
 * reached the disk when the machine went down, and would take lower numbers for old ones.
 */
const RUNNERS_APART = 1_000_000;

export interface Attempts {
  /** How often it was begun. */
  starts: number;
  /** How often the runner went down without a word while it was at it. */
  lost: number;
}

const isLast = (body: JobEventBody): boolean => body.type !== 'phase';

export interface Origin {
  /** Whose turn it takes in the queue. */
  client?: string;
  /** Of the parameters as JSON, characters. */
  size?: number;
  /** Events to begin with, consecutive by seq. */
  events?: JobEvent[];
  /** Present where a runner before this one had it: how often it was begun, and the last event it is known to have told. */
  before?: { attempts: Attempts; seq: number };
}

export class Job {
  /** Aborted by cancel and shutdown. */
  readonly controller = new AbortController();
  readonly client: string;
  readonly size: number;
  /** Runs that were begun before this runner, and came to nothing. */
  readonly attempts: Attempts;
  private readonly watchers = new Set<() => void>();
  /** Consecutive by seq. */
  private events: JobEvent[];
  private seq: number;
  /** The last event may be told: it is where it must be. */
  private isOver: boolean;

  /**
   * @param hash of the parameters: the same id with other content is a conflict
   * @param params absent once the job has ended: they are not needed again
   */
  constructor(
    readonly id: string,
    readonly hash: string,
    public params: JobParams | undefined,
    { client = id, size = 0, events = [], before }: Origin = {},
  ) {
    this.client = client;
    this.size = size;
    this.events = events;
    this.isOver = this.ended;
    this.attempts = before?.attempts ?? { starts: 0, lost: 0 };
    this.seq = events.at(-1)?.seq ?? (before ? before.seq + RUNNERS_APART : 0);
  }

  get ended(): boolean {
    const last = this.events.at(-1);
    return last !== undefined && isLast(last.event);
  }

  /** It has ended and its end may be told. */
  get over(): boolean {
    return this.isOver;
  }

  /** What can still be replayed. */
  get retained(): readonly JobEvent[] {
    return this.events;
  }

  /** Numbers the event and keeps it; watchers are told by `notify`, and nobody of the last one before. */
  append(event: JobEventBody): JobEvent {
    if (this.ended) throw new Error(`job ${this.id} has ended and takes no further event`);
    const run = this.attempts.starts > 0 ? { run: this.attempts.starts + 1 } : {};
    const numbered: JobEvent = { job: this.id, seq: (this.seq += 1), ...run, event };
    this.events.push(numbered);
    if (this.events.length > MOST_EVENTS) this.events.shift();
    if (isLast(event)) this.params = undefined;
    return numbered;
  }

  /** The oldest kept event past `seq`. */
  after(seq: number): JobEvent | undefined {
    const first = this.events[0];
    const next = first && this.events[Math.max(0, seq - first.seq + 1)];
    return next && isLast(next.event) && !this.isOver ? undefined : next;
  }

  /** Lets go of events up to `seq`, except the last one, which answers whoever asks again. */
  ack(seq: number): void {
    this.events = this.events.filter((e) => e.seq > seq || isLast(e.event));
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  notify(): void {
    this.isOver = this.ended;
    for (const watcher of this.watchers) watcher();
  }
}
