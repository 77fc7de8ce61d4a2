// What the session, the terminal and the editor need of a runner; connect.ts implements it over WebSocket.
import type {
  Artifact,
  Calibration,
  InitializeResult,
  JobEventBody,
  JobParams,
  Profile,
  Verdict,
} from '../../remote-runner/protocol.js';

export type Progress = Extract<JobEventBody, { type: 'phase' }>;

/** `run`: present where the runner went down while it was at the job, which of its runs this is the result of. */
export type Result = (
  | { kind: 'verdict'; verdict: Verdict }
  | { kind: 'calibration'; calibration: Calibration }
  | { kind: 'profile'; profile: Profile }
) & { run?: number };

export interface RunnerConnection {
  readonly about: InitializeResult;
  /** `ws://127.0.0.1:4242`, or `local` for one started by ourselves. */
  readonly address: string;
  /**
   * Uploads what is missing, submits (idempotent by `job`), follows to the end, reconnecting where needed.
   * Rejects with RunnerError when the runner is lost for good or the job is cancelled through `signal`.
   * @param files read-only file contents by sha256
   */
  run(
    job: string,
    params: JobParams,
    files: ReadonlyMap<string, Uint8Array>,
    options: { signal?: AbortSignal; onProgress?: (p: Progress) => void },
  ): Promise<Result>;
  /**
   * Fetches what a job made.
   * @throws RunnerError when the runner has it no more, or sends something else
   */
  fetch(artifact: Artifact, signal?: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A failure of the road to the runner, never of a candidate. */
export class RunnerError extends Error {
  constructor(
    /** `infrastructure`: the runner itself failed at this job and said why; another job may do better. */
    readonly code:
      'refused' | 'unauthorized' | 'protocol' | 'lost' | 'cancelled' | 'rejected' | 'local' | 'infrastructure',
    message: string,
  ) {
    super(message);
    this.name = 'RunnerError';
  }
}

export interface RunnerAddress {
  /** Absent: start a local runner of our own and end it with us. */
  url?: string;
  /** Bearer token for `url`. */
  token?: string;
}
/** Made by createConnect(…) in src/runner/connect.ts, which is told where the local runner's bundle lies. */
export type Connect = (
  address: RunnerAddress,
  options?: { signal?: AbortSignal; log?: (line: string) => void },
) => Promise<RunnerConnection>;
