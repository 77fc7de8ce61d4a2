// One session from baseline to end: connects, measures the original, lets the strategy propose, finishes with the best.
import type { TargetChoice, Verdict, WireTask } from '../../remote-runner/protocol.js';
import type { KernelFile } from '../kernel/types.js';
import type { RunnerConnection } from '../runner/types.js';
import type { TaskFile } from '../task/schema.js';
import { measureOriginal } from './baseline.js';
import type { History } from './history.js';
import type { LevelsOf } from './judge.js';
import { Judge } from './judge.js';
import type { SessionProgress } from './protocol.js';
import type { SessionRecord } from './record.js';
import { Road } from './road.js';
import type { FinishReason, Strategy, StrategyContext } from './strategy.js';
import { BudgetSpent } from './strategy.js';

export interface LoopOptions {
  record: SessionRecord;
  history: History;
  task: TaskFile;
  wire: WireTask;
  /** Read-only files by sha256. */
  files: ReadonlyMap<string, Uint8Array>;
  connect: (signal: AbortSignal) => Promise<RunnerConnection>;
  target: TargetChoice;
  strategy: Strategy;
  readKernels: (text: string) => Promise<KernelFile>;
  levelsOf: LevelsOf;
  onProgress: (progress: SessionProgress) => void;
  /** Aborted when the person stops the session. */
  stop: AbortSignal;
  /** First wait after a lost runner, milliseconds. */
  firstDelayMs?: number;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Ending {
  reason: FinishReason;
  message: string;
}

/** Interrupts a strategy that has reached its goal. */
class TargetReached extends Error {}

/**
 * Runs a session until it is finished; the `finished` event is the last of the trace.
 * @throws TraceError when the trace itself cannot be written any more
 */
export async function runLoop(options: LoopOptions): Promise<void> {
  const { record } = options;
  const road = new Road({
    connect: options.connect,
    files: options.files,
    onTrouble: (message) => record.trouble('runner', message),
    ...(options.firstDelayMs !== undefined && { firstDelayMs: options.firstDelayMs }),
  });
  try {
    const ending = await work(options, road).catch((error: unknown) => endingOf(error, options.stop));
    const best = record.state.incumbent;
    await record.append({ type: 'finished', ...ending, ...(best !== undefined && { best }) });
  } finally {
    await road.close();
  }
}

async function work(options: LoopOptions, road: Road): Promise<Ending> {
  const { record, history, stop } = options;
  const limits = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Looked at again when it fires: pauses and sleep of the machine do not count. Node's timers hold 32 bits.
  const arm = (): void => {
    const left = record.state.budget.minutes * 60_000 - record.activeMs();
    if (left <= 0) limits.abort(new BudgetSpent('minutes'));
    else timer = setTimeout(arm, Math.min(record.state.paused ? Math.max(left, 1000) : left, LONGEST_TIMER_MS));
  };
  arm();
  const signal = AbortSignal.any([stop, limits.signal]);
  try {
    const { baseline, target } = await measureOriginal(options, road, signal).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    const judge = await Judge.open({
      record,
      history,
      road,
      wire: options.wire,
      target,
      onProgress: options.onProgress,
      levelsOf: options.levelsOf,
    });
    const context = contextOf(options, judge, baseline, signal, limits);
    let ending: Ending;
    try {
      if (judge.evaluationsLeft() === 0) throw new BudgetSpent('evaluations');
      ending = targetReached(options, judge) ?? (await options.strategy(context));
    } catch (error) {
      ending = endingOf(signal.aborted ? signal.reason : error, stop);
    }
    await judge.settled();
    ending = targetReached(options, judge) ?? ending;
    // A person who stops wants an end; time that is up allows one last look, everything else the usual few.
    if (!stop.aborted && ending.reason !== 'failed')
      await judge.confirmBest(stop, limits.signal.aborted ? 1 : undefined);
    return ending;
  } finally {
    clearTimeout(timer);
  }
}

function contextOf(
  options: LoopOptions,
  judge: Judge,
  baseline: Verdict,
  signal: AbortSignal,
  limits: AbortController,
): StrategyContext {
  const { record, wire, task } = options;
  return {
    task,
    original: wire.original,
    baseline,
    seed: record.state.seed,
    signal,
    judged: judge.judged,
    incumbent: () => judge.incumbent(),
    evaluationsLeft: () => judge.evaluationsLeft(),
    minutesLeft: () => Math.max(0, record.state.budget.minutes - record.activeMs() / 60_000),
    readKernels: options.readKernels,
    profile: (sources, scenario, kernel) => judge.profile(sources, signal, scenario, kernel),
    spareWork: () => judge.spare(signal),
    evaluate: async (proposal) => {
      const judged = await judge.evaluate(proposal, signal);
      // The verdict still reaches the strategy, whose next step then ends.
      if (targetReached(options, judge)) limits.abort(new TargetReached());
      return judged;
    },
  };
}

function targetReached({ task }: LoopOptions, judge: Judge): Ending | undefined {
  const value = judge.incumbent()?.verdict.speedup?.value;
  const { target } = task.objective;
  if (target === undefined || value === undefined || value < target) return undefined;
  return { reason: 'target', message: `the target of ${target}× is reached: ${value.toFixed(3)}×` };
}

function endingOf(error: unknown, stop: AbortSignal): Ending {
  if (stop.aborted) return { reason: 'stopped', message: 'stopped by you' };
  if (error instanceof BudgetSpent) return { reason: 'budget', message: error.message };
  return { reason: 'failed', message: error instanceof Error ? error.message : String(error) };
}
