// A connection that comes back: redials with back-off, and hands each job its events.
import type { InitializeResult, JobEvent } from '../../remote-runner/protocol.js';
import { METHODS, jobEvent } from '../../remote-runner/protocol.js';
import type { Endpoint, Line } from './dial.js';
import { dial } from './dial.js';
import { RunnerError } from './types.js';

export interface LinkOptions {
  /** Where to dial; asked each time, since a local runner that was started again has a new address. */
  endpoint: () => Promise<Endpoint>;
  version: string;
  log: (line: string) => void;
  /** How long a lost runner is dialled before it counts as lost for good. */
  giveUpMs: number;
}

/** What one job's follower is told. */
export interface Follower {
  event(event: JobEvent): void;
  /** The runner sent something that is not an event. */
  garbled(error: RunnerError): void;
  /** The connection was lost, and dialling again has failed for now. */
  away(): void;
}

const CLOSE_MS = 1000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;
/** A connection that ends sooner than this counts as a failed one. */
const SHORT_LIFE_MS = 5000;
/** So many of them in a row, and the runner is lost: it answers, but whatever we ask for ends the connection. */
const MOST_SHORT_LIVES = 6;

export class Link {
  private line: Promise<Line> | undefined;
  private readonly followers = new Map<string, Follower>();
  private readonly closing = new AbortController();
  /** Set where dialling again is pointless. */
  private hopeless: RunnerError | undefined;
  private shortLives = 0;
  private away = false;

  constructor(private readonly options: LinkOptions) {}

  /** Connects without retries, so that a wrong address is told at once. */
  async connect(signal?: AbortSignal): Promise<InitializeResult> {
    const line = await this.hold(this.dialOnce(signal));
    return line.about;
  }

  /**
   * The live connection, dialling again where it was lost. Once its `closed` resolves, the next call dials.
   * @throws RunnerError when it is lost for good or closed
   */
  async current(): Promise<Line> {
    this.assertOpen();
    const line = await (this.line ?? this.hold(this.redial()));
    this.assertOpen();
    return line;
  }

  /** @throws RunnerError when the job has a follower on this connection already */
  follow(job: string, follower: Follower): () => void {
    if (this.followers.has(job)) throw new RunnerError('rejected', `Job ${job} is being followed here already.`);
    this.followers.set(job, follower);
    return () => this.followers.delete(job);
  }

  /** True from a failed attempt to dial a lost runner again until one succeeds. */
  get isAway(): boolean {
    return this.away;
  }

  /** @returns false when the runner did not close its side, as one that hangs does not */
  async close(): Promise<boolean> {
    this.closing.abort();
    const line = await this.line?.catch(() => undefined);
    if (!line) return true;
    line.rpc.end();
    let answered = true;
    const impatient = setTimeout(() => {
      answered = false;
      line.drop();
    }, CLOSE_MS);
    await line.closed;
    clearTimeout(impatient);
    return answered;
  }

  private assertOpen(): void {
    if (this.hopeless) throw this.hopeless;
    if (this.closing.signal.aborted) throw closed();
  }

  private hold(dialled: Promise<Line>): Promise<Line> {
    this.line = dialled;
    dialled.then(
      (line) => this.attend(line, dialled),
      () => this.forget(dialled),
    );
    return dialled;
  }

  private forget(dialled: Promise<Line>): void {
    if (this.line === dialled) this.line = undefined;
  }

  private attend(line: Line, dialled: Promise<Line>): void {
    const began = performance.now();
    line.rpc.onNotification(METHODS.event, (params: unknown) => this.deliver(params));
    void line.closed.then((why) => {
      this.forget(dialled);
      this.shortLives = performance.now() - began < SHORT_LIFE_MS ? this.shortLives + 1 : 0;
      if (this.shortLives > MOST_SHORT_LIVES) {
        this.hopeless = new RunnerError('lost', `The runner ends every connection soon: ${why}.`);
      }
      if (!this.closing.signal.aborted) this.options.log(`the connection to the runner was lost: ${why}`);
    });
  }

  private deliver(params: unknown): void {
    const parsed = jobEvent.safeParse(params);
    if (parsed.success) {
      this.followers.get(parsed.data.job)?.event(parsed.data);
      return;
    }
    const job = (params as { job?: unknown } | null)?.job;
    const issue = parsed.error.issues[0];
    const error = new RunnerError(
      'protocol',
      `The runner sent an event that is not understood (${issue?.path.join('.')}: ${issue?.message}). Use the same KernelSeek version on both sides.`,
    );
    if (typeof job === 'string') this.followers.get(job)?.garbled(error);
    else this.options.log(error.message);
  }

  private async dialOnce(signal: AbortSignal = this.closing.signal): Promise<Line> {
    return dial(await this.options.endpoint(), this.options.version, signal);
  }

  private async redial(): Promise<Line> {
    const began = performance.now();
    // After the first loss at once: most are a blink of the network.
    if (this.shortLives > 1) await this.pause(FIRST_WAIT_MS * 2 ** Math.min(this.shortLives - 2, 5));
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        const line = await this.dialOnce();
        if (this.away) this.options.log('the runner is there again');
        this.away = false;
        return line;
      } catch (error) {
        if (this.closing.signal.aborted) throw closed();
        if (!(error instanceof RunnerError)) throw error;
        if (error.code !== 'refused' && error.code !== 'lost') {
          if (error.code !== 'cancelled') this.hopeless = error;
          throw error;
        }
        if (performance.now() - began + wait > this.options.giveUpMs) {
          this.away = false;
          throw new RunnerError(
            'lost',
            `The runner did not come back within ${span(this.options.giveUpMs)}: ${error.message}`,
          );
        }
        // Once: the same sentence every few seconds says nothing new.
        if (!this.away) this.options.log(`${error.message} Trying again for up to ${span(this.options.giveUpMs)}.`);
        this.away = true;
        for (const follower of this.followers.values()) follower.away();
        // Random, so that many clients of one runner do not return at the same moment.
        await this.pause(wait * (0.5 + Math.random() / 2));
      }
    }
  }

  private pause(ms: number): Promise<void> {
    const { signal } = this.closing;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}

const closed = (): RunnerError => new RunnerError('lost', 'The connection to the runner was closed.');

/** `2 minutes`, `5 seconds` */
function span(ms: number): string {
  const [n, unit] = ms >= 60_000 ? [ms / 60_000, 'minute'] : [ms / 1000, 'second'];
  return `${Number(n.toFixed(1))} ${unit}${n === 1 ? '' : 's'}`;
}
