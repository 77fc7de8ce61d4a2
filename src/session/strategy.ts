// The seam between the session (trace, history, budget, runner) and whoever proposes the next candidate.
import type { Profile, SourceFile, Verdict } from '../../remote-runner/protocol.js';
import type { KernelFile } from '../kernel/types.js';

export interface Proposal {
  /** Complete text of every editable source, same paths as the original. */
  sources: SourceFile[];
  /** Candidate id; absent: child of the original. */
  parent?: string;
  author: 'agent' | 'search' | 'human';
  note: string;
  configuration?: Record<string, number | string | boolean>;
}

export interface Judged {
  candidate: string;
  proposal: Proposal;
  /** The confirmed verdict once there is one, the first verdict until then. */
  verdict: Verdict;
}

export type FinishReason = 'budget' | 'target' | 'agent' | 'exhausted' | 'stopped' | 'failed';

export interface StrategyContext {
  /** The parsed task file (src/task), already validated. */
  readonly task: unknown;
  readonly original: SourceFile[];
  readonly baseline: Verdict;
  readonly seed: number;
  /** Aborted by stop, Ctrl-C and the minutes budget. */
  readonly signal: AbortSignal;
  /** Everything judged so far, in order; on resume what the trace holds, so that nothing is paid for twice. */
  readonly judged: readonly Judged[];
  /** Best confirmed candidate so far. */
  incumbent(): Judged | undefined;
  evaluationsLeft(): number;
  minutesLeft(): number;
  readKernels(text: string): Promise<KernelFile>;
  /**
   * Records the candidate, has it judged, and when its provisional interval promises a new best also confirms it (fresh
   * processes and inputs) before it returns; a confirmed best becomes the incumbent. A duplicate is answered from the trace.
   * Rejects with BudgetSpent when no evaluation is left and with the signal's reason on abort.
   */
  evaluate(proposal: Proposal): Promise<Judged>;
  /**
   * Says where the time of sources goes; costs no evaluation. Text: why the runner could not.
   * @param scenario absent: the one with the most work
   * @param kernel absent: every kernel of the call
   */
  profile(sources: SourceFile[], scenario?: string, kernel?: string): Promise<Profile | string>;
  /** Cheap work that costs no evaluation, begun while a question waits for a person; what goes wrong in it is told in the trace. */
  spareWork(): void;
}

export class BudgetSpent extends Error {
  constructor(what: 'evaluations' | 'minutes' | 'tokens' | 'money', why?: string) {
    super(`the budget of ${what} is spent${why === undefined ? '' : `: ${why}`}`);
    this.name = 'BudgetSpent';
  }
}

/** Runs until it has no more to propose; `message` says why in one sentence. */
export type Strategy = (context: StrategyContext) => Promise<{ reason: FinishReason; message: string }>;
