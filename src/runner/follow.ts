// One job from submission to its last event, over as many connections as it takes.
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import type { JobEvent, JobEventBody, JobParams } from '../../remote-runner/protocol.js';
import { ERRORS, LIMITS, METHODS } from '../../remote-runner/protocol.js';
import type { Link } from './link.js';
import type { Progress } from './types.js';
import { RunnerError } from './types.js';
import { upload } from './upload.js';

/** A runner that forgets a job this often goes down because of it. */
const MOST_SUBMISSIONS = 3;
/** Room for the JSON-RPC envelope around the parameters, bytes. */
const ENVELOPE = 1024;
/** How long the runner may take to answer that it is cancelling: it does so at once, or it hangs. */
const ANSWER_MS = 2000;
/** How long the cancelled job may take to end after that. */
const CANCEL_MS = 15_000;

export interface Last {
  event: Exclude<JobEventBody, Progress>;
  /** Present where the runner went down while it was at the job and ran it anew: which run this is of. */
  run?: number;
}

export class Follow {
  private readonly promise: Promise<Last>;
  private resolve!: (last: Last) => void;
  private reject!: (error: Error) => void;
  private settled = false;
  /** Sequence number of the last event seen. */
  private seen = 0;
  private submitted = false;
  /** Above 0 the runner may know the job, whatever became of the answer. */
  private submissions = 0;
  private rpc: MessageConnection | undefined;
  private impatient: NodeJS.Timeout | undefined;

  constructor(
    private readonly link: Link,
    private readonly job: string,
    private readonly params: JobParams,
    private readonly files: ReadonlyMap<string, Uint8Array>,
    private readonly options: { signal?: AbortSignal; onProgress?: (p: Progress) => void },
  ) {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** @throws RunnerError */
  async run(): Promise<Last> {
    const { signal } = this.options;
    if (signal?.aborted) throw cancelled();
    const unfollow = this.link.follow(this.job, {
      event: (event) => this.onEvent(event),
      garbled: (error) => this.fail(error),
      away: () => {
        if (signal?.aborted) this.fail(cancelled());
      },
    });
    const onAbort = (): void => {
      // A runner that cannot be reached cannot be told, nor answer.
      if (this.submissions === 0 || this.link.isAway) return this.fail(cancelled());
      this.cancel();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      this.persist().catch((error: Error) => this.fail(error));
      return await this.promise;
    } finally {
      clearTimeout(this.impatient);
      signal?.removeEventListener('abort', onAbort);
      unfollow();
    }
  }

  /** On each connection anew: submit or attach, then wait until the job ends or the connection breaks. */
  private async persist(): Promise<void> {
    while (!this.settled) {
      const { rpc, closed, wait } = await this.link.current();
      this.rpc = rpc;
      const stopWaiting = wait();
      try {
        if (this.submitted) await rpc.sendRequest(METHODS.attach, { job: this.job, after: this.seen });
        else await this.submit(rpc);
        // Aborted while there was no connection to say so on.
        if (this.options.signal?.aborted) this.cancel();
        await Promise.race([closed, this.promise]);
      } catch (error) {
        if (this.mayGoOn(error)) continue;
        // Not an answer of the runner: the connection broke under the request.
        await closed;
      } finally {
        stopWaiting();
      }
    }
  }

  /** Tells the runner where it knows the job; whoever cancelled is not kept waiting by one that does not answer. */
  private cancel(): void {
    if (this.settled) {
      this.tell(METHODS.cancel, { job: this.job });
      return;
    }
    this.waitAtMost(ANSWER_MS);
    const { rpc } = this;
    if (!this.submitted || !rpc) return;
    const ask = async (): Promise<unknown> => rpc.sendRequest(METHODS.cancel, { job: this.job });
    ask().then(
      () => this.waitAtMost(CANCEL_MS),
      () => undefined,
    );
  }

  private waitAtMost(ms: number): void {
    clearTimeout(this.impatient);
    if (!this.settled) this.impatient = setTimeout(() => this.fail(cancelled()), ms);
  }

  private async submit(rpc: MessageConnection): Promise<void> {
    await upload(rpc, this.files, this.options.signal);
    if (this.settled) return;
    const bytes = Buffer.byteLength(JSON.stringify(this.params));
    if (bytes + ENVELOPE > LIMITS.message) {
      throw new RunnerError(
        'rejected',
        `The sources have ${bytes} bytes as one message; ${LIMITS.message} can be sent.`,
      );
    }
    this.submissions += 1;
    await rpc.sendRequest(METHODS.submit, { job: this.job, params: this.params });
    this.submitted = true;
  }

  /**
   * True when the same connection may do better at the next try, false when the next connection may.
   * @throws RunnerError when neither may
   */
  private mayGoOn(error: unknown): boolean {
    if (error instanceof RunnerError) throw error;
    if (!(error instanceof ResponseError) || ownCodes.has(error.code)) return false;
    const isForgotten = error.code === ERRORS.unknownJob;
    const isLast = this.submissions >= MOST_SUBMISSIONS;
    if (isForgotten && isLast) {
      throw new RunnerError(
        'lost',
        `The runner lost this job ${this.submissions} times: it may be what brings it down.`,
      );
    }
    // The runner was started again without its memory, or cleared a file between our question and the submission.
    const isPassing = isForgotten || error.code === ERRORS.missingFiles;
    if (!isPassing || isLast) throw new RunnerError('rejected', `The runner refused the job: ${error.message}`);
    this.submitted = false;
    this.seen = 0;
    return true;
  }

  private onEvent({ seq, run, event }: JobEvent): void {
    if (this.settled || seq <= this.seen) return;
    this.seen = seq;
    if (event.type === 'phase') {
      this.options.onProgress?.(event);
      return;
    }
    this.settled = true;
    if (this.options.signal?.aborted) this.reject(cancelled());
    else this.resolve({ event, ...(run === undefined ? {} : { run }) });
    this.tell(METHODS.ack, { job: this.job, seq });
  }

  private fail(error: Error): void {
    if (this.settled) return;
    this.settled = true;
    this.reject(error);
  }

  /** Sends a request whose answer changes nothing. */
  private tell(method: string, params: object): void {
    const ask = async (): Promise<void> => this.rpc?.sendRequest(method, params);
    ask().catch(() => undefined);
  }
}

/** Codes that vscode-jsonrpc makes up on our side when the connection breaks. */
export const ownCodes: ReadonlySet<number> = new Set<number>([
  ErrorCodes.MessageWriteError,
  ErrorCodes.MessageReadError,
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
]);

const cancelled = (): RunnerError => new RunnerError('cancelled', 'The evaluation was cancelled.');
