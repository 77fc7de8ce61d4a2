// The way from the session to its runner: a lost runner is told, found again, and the job submitted again under its id.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bareVerdict,
  type EvaluateParams,
  type JobParams,
  type Profile,
  type ProfileParams,
  type Verdict,
} from '../../remote-runner/protocol.js';
import type { Progress, Result, RunnerConnection } from '../runner/types.js';
import { RunnerError } from '../runner/types.js';
import type { SessionProgress } from './protocol.js';

export interface RoadOptions {
  connect: (signal: AbortSignal) => Promise<RunnerConnection>;
  /** Read-only files by sha256. */
  files: ReadonlyMap<string, Uint8Array>;
  onTrouble: (message: string) => Promise<unknown>;
  /** First wait before a runner is looked for again, milliseconds; doubles up to 30 s. */
  firstDelayMs?: number;
}

/** How often a runner may be lost over one job before that job is given up: a candidate may be what takes it down. */
const LOSSES = 3;
const RECONNECTS = 10;
/** A job that the runner failed at itself is not the road's fault, but a row of them means that nothing works there. */
const FAILURES_IN_A_ROW = 3;

/** A job that came to nothing through no fault of the candidate's that we know of. */
interface GivenUp {
  kind: 'given-up';
  message: string;
}

export class Road {
  private connection: RunnerConnection | undefined;
  private failures = 0;

  constructor(private readonly options: RoadOptions) {}

  /** The runner, connected on first use. */
  async runner(signal: AbortSignal): Promise<RunnerConnection> {
    this.connection ??= await this.options.connect(signal);
    return this.connection;
  }

  /**
   * Has one version judged. The runner's own failures come back as a verdict `infrastructure`.
   * @throws RunnerError when there is no way to the runner any more; the signal's reason on abort
   */
  async evaluate(
    job: string,
    params: EvaluateParams,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<Verdict> {
    const result = await this.attempt(job, params, signal, onProgress);
    if (result.kind !== 'given-up' && (result.kind !== 'verdict' || result.verdict.mode !== params.mode)) {
      throw unasked(job);
    }
    const verdict =
      result.kind === 'given-up' ? bareVerdict('infrastructure', result.message, params.mode) : result.verdict;
    this.failures = verdict.status === 'infrastructure' ? this.failures + 1 : 0;
    if (this.failures >= FAILURES_IN_A_ROW) {
      throw new RunnerError('infrastructure', `the runner failed ${this.failures} times in a row: ${verdict.message}`);
    }
    return verdict;
  }

  /**
   * Has one version profiled.
   * @returns the runner's reason where it could not
   * @throws RunnerError when there is no way to the runner any more; the signal's reason on abort
   */
  async profile(
    job: string,
    params: ProfileParams,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<Profile | string> {
    const result = await this.attempt(job, params, signal, onProgress);
    if (result.kind === 'given-up') return result.message;
    if (result.kind !== 'profile') throw unasked(job);
    return result.profile;
  }

  async close(): Promise<void> {
    const connection = this.connection;
    this.connection = undefined;
    await connection?.close().catch(() => undefined);
  }

  private async attempt(
    job: string,
    params: JobParams,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<Result | GivenUp> {
    let cancelled = 0;
    for (let losses = 0; ;) {
      signal.throwIfAborted();
      const connection = await this.runner(signal);
      try {
        // An id that was cancelled by an earlier process of this session stays cancelled at the runner.
        const id = cancelled === 0 ? job : `${job}-again${cancelled}`;
        return await connection.run(id, params, this.options.files, { signal, onProgress });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RunnerError)) throw error;
        if (error.code === 'infrastructure') return { kind: 'given-up', message: error.message };
        if (error.code === 'cancelled' && ++cancelled < 3) continue;
        if (error.code !== 'lost') throw error;
        losses += 1;
        await this.close();
        if (losses >= LOSSES) {
          const message = `the runner was lost ${LOSSES} times while judging this: ${error.message}`;
          await this.options.onTrouble(`${message}; it is given up`);
          return { kind: 'given-up', message };
        }
        await this.reconnect(error.message, signal);
      }
    }
  }

  private async reconnect(reason: string, signal: AbortSignal): Promise<void> {
    let delay = this.options.firstDelayMs ?? 1000;
    let last = reason;
    for (let n = 1; n <= RECONNECTS; n++) {
      await this.options.onTrouble(`runner lost (${last}); looking for it again in ${(delay / 1000).toFixed(0)} s`);
      await sleep(delay, undefined, { signal }).catch(() => signal.throwIfAborted());
      try {
        await this.runner(signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        const passing = error instanceof RunnerError && ['refused', 'lost', 'local'].includes(error.code);
        if (!passing) throw error;
        last = error.message;
      }
      delay = Math.min(30_000, delay * 2);
    }
    throw new RunnerError('lost', `the runner does not come back: ${last}`);
  }
}

function unasked(job: string): RunnerError {
  return new RunnerError('protocol', `the runner answered job ${job} with something else than was asked`);
}

/** A runner's progress as the session tells it. */
export function shownProgress(progress: Progress, prefix: string, candidate?: string): SessionProgress {
  const { phase, detail, done, total } = progress;
  return {
    ...(candidate !== undefined && { candidate }),
    phase,
    detail: prefix + detail,
    ...(done !== undefined && { done }),
    ...(total !== undefined && { total }),
  };
}
