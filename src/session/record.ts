// A session while a process drives it: its trace under lock, the state folded from it, and whoever is told.
import type { TraceEvent, TraceEventBody } from './events.js';
import type { SessionState } from './fold.js';
import { advance, fold } from './fold.js';
import type { Lock } from './lock.js';
import { takeLock } from './lock.js';
import { readTrace, TraceError, TraceWriter } from './trace.js';

export interface RecordOptions {
  /** Removes secrets from everything written. */
  redact: (line: string) => string;
  /** Told each event once it is on disk. */
  onEvent: (event: TraceEvent) => void;
}

/** Wall clock and monotonic clock part by this much only when the machine slept (or its clock was set), milliseconds. */
const SLEEP_MS = 30_000;

export class SessionRecord {
  private clocks = { wall: Date.now(), monotonic: performance.now() };

  private constructor(
    readonly folder: string,
    private current: SessionState,
    private readonly writer: TraceWriter,
    private readonly lock: Lock,
    private readonly onEvent: (event: TraceEvent) => void,
  ) {}

  /** A new session; its first event is on disk when this resolves. */
  static async create(
    folder: string,
    started: Extract<TraceEventBody, { type: 'started' }>,
    options: RecordOptions,
  ): Promise<SessionRecord> {
    const lock = await takeLock(folder);
    try {
      const writer = await TraceWriter.open(folder, options.redact);
      const event = await writer.append(started);
      const record = new SessionRecord(folder, advance(undefined, event), writer, lock, options.onEvent);
      options.onEvent(event);
      return record;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /**
   * An existing session, to go on with; a torn end becomes a `trouble` event.
   * @throws SessionLocked, TraceError, FoldError
   */
  static async reopen(
    folder: string,
    budget: SessionState['budget'] | undefined,
    options: RecordOptions,
  ): Promise<SessionRecord> {
    const lock = await takeLock(folder);
    try {
      const trace = await readTrace(folder);
      const state = fold(trace.events);
      if (!state) throw new TraceError(`${folder} broke off before its session started; start a new one`);
      const writer = await TraceWriter.open(folder, options.redact, trace);
      const record = new SessionRecord(folder, state, writer, lock, options.onEvent);
      await record.append({ type: 'resumed', ...(budget && { budget }) });
      if (trace.warning !== undefined) {
        await record.append({ type: 'trouble', where: 'trace', message: trace.warning });
      }
      return record;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** What the trace says so far. */
  get state(): Readonly<SessionState> {
    return this.current;
  }

  /**
   * Writes an event, folds it, tells it.
   * @throws TraceError when the disk refuses
   */
  async append(body: TraceEventBody): Promise<TraceEvent> {
    const asleep = this.asleepMs();
    if (asleep > 0) await this.write({ type: 'slept', ms: asleep });
    return this.write(body);
  }

  private async write(body: TraceEventBody): Promise<TraceEvent> {
    const event = await this.writer.append(body);
    this.current = advance(this.current, event);
    this.onEvent(event);
    return event;
  }

  trouble(where: 'model' | 'runner' | 'trace' | 'session', message: string): Promise<TraceEvent> {
    return this.append({ type: 'trouble', where, message });
  }

  /** Milliseconds at work up to now. */
  activeMs(): number {
    const { activeMs, updatedAt, paused } = this.current;
    return paused ? activeMs : activeMs + Math.max(0, Date.now() - updatedAt);
  }

  /** How long the machine slept since the last event: the monotonic clock stands still meanwhile. */
  private asleepMs(): number {
    const before = this.clocks;
    this.clocks = { wall: Date.now(), monotonic: performance.now() };
    const apart = this.clocks.wall - before.wall - (this.clocks.monotonic - before.monotonic);
    return apart > SLEEP_MS ? Math.round(apart) : 0;
  }

  async close(): Promise<void> {
    await this.writer.close();
    await this.lock.release();
  }
}
