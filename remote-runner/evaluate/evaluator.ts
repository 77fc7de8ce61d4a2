// The seam between jobs (who waits, who is told) and evaluation (what is true).
import type {
  CalibrateParams,
  Calibration,
  EvaluateParams,
  JobEventBody,
  Profile,
  ProfileParams,
  Verdict,
} from '../protocol.js';

export interface EvaluateContext {
  /** Aborted on cancel and shutdown; every process group started for the job is killed then. */
  signal: AbortSignal;
  /** Reports progress. */
  progress: (event: Extract<JobEventBody, { type: 'phase' }>) => void;
  /** Where the bytes of an uploaded read-only file lie. */
  stored: (sha256: string) => string;
  /** Keeps a file that the job made, for clients to fetch by its hash. */
  keep: (file: string) => Promise<{ sha256: string; size: number }>;
  /** Scratch folder of this job, removed by the caller afterwards. */
  folder: string;
  /** Folder for what jobs share; whoever makes something there removes it. */
  scratch: string;
}

export interface Evaluator {
  evaluate(params: EvaluateParams, context: EvaluateContext): Promise<Verdict>;
  calibrate(params: CalibrateParams, context: EvaluateContext): Promise<Calibration>;
  profile(params: ProfileParams, context: EvaluateContext): Promise<Profile>;
  /** Who holds which device now, by the target's id. */
  holders?(): Promise<ReadonlyMap<string, string>>;
}
