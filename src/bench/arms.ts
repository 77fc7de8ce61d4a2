// Arms side by side: what a finished session came to, and means over seeds with their intervals. Pure.
import type { SourceFile } from '../../remote-runner/protocol.js';
import { measured } from '../questions/visited.js';
import { LEVELS, type Level } from '../questions/types.js';
import { bestStep, pathLength, setDistance, straightness } from '../search/metrics.js';
import { candidateOf, verdictOf, type CandidateState, type SessionState, type Usage } from '../session/fold.js';
import type { StrategyName } from '../session/protocol.js';
import { studentQuantile } from '../statistics/student.js';

/** Sources and levels of what a session tried, as its history has them. */
export interface Tried {
  original: readonly SourceFile[];
  sourcesOf: (candidate: CandidateState) => readonly SourceFile[];
  levelsOf: (candidate: CandidateState) => readonly Level[];
}

export interface ArmRun {
  task: string;
  arm: StrategyName;
  seed: number;
  session: string;
  ended: string;
  /** Its times are those of an emulation on a CPU. */
  emulated: boolean;
  /** Confirmed, over the original; 1 where the original was kept. */
  speedup: number;
  evaluations: number;
  /** Read, written, cached: as the endpoint counts them. */
  tokens: number;
  usage: Usage;
  deviceMinutes: number;
  compileMinutes: number;
  /** Judged candidates that are correct / judged candidates, in [0, 1]; undefined where none was judged. */
  correctShare: number | undefined;
  /** Levels at which measured candidates differ from their parents. */
  levels: Level[];
  /** 1-based, among judged candidates; undefined where none is correct. */
  bestStep: number | undefined;
  /** Mean Jaccard distance of the lines of consecutive candidates, the original first, in [0, 1]. */
  pathLength: number;
  straightness: number;
}

/** What one session came to. */
export function runOf(state: Readonly<SessionState>, task: string, tried: Tried): ArmRun {
  const judged = state.candidates.filter((c) => verdictOf(c) !== undefined);
  const correct = judged.filter((c) => verdictOf(c)?.status === 'correct');
  const { usage } = state;
  const seen = new Set(judged.filter((c) => measured(c)).flatMap((c) => tried.levelsOf(c)));
  const path = [tried.original, ...judged.map((c) => tried.sourcesOf(c))].map(linesOf);
  return {
    task,
    arm: state.strategy,
    seed: state.seed,
    session: state.session,
    ended: state.finished ? `${state.finished.reason}: ${state.finished.message}` : 'not ended',
    emulated: state.baseline?.emulated === true,
    speedup: candidateOf(state, state.incumbent)?.confirmed?.speedup?.value ?? 1,
    evaluations: state.evaluations,
    tokens: usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    usage,
    deviceMinutes: state.deviceMs / 60_000,
    compileMinutes: state.compileMs / 60_000,
    correctShare: judged.length === 0 ? undefined : correct.length / judged.length,
    levels: LEVELS.filter((level) => seen.has(level)),
    bestStep: bestStep(
      judged.map((c) => (verdictOf(c)?.status === 'correct' ? verdictOf(c)?.speedup?.value : undefined)),
    ),
    pathLength: pathLength(path, setDistance),
    straightness: straightness(path, setDistance),
  };
}

/** Lines with their file, without white space at their ends: what moved within a file is no distance. */
function linesOf(sources: readonly SourceFile[]): Set<string> {
  const lines = sources.flatMap((s) => s.text.split('\n').map((line) => `${s.path}:${line.trim()}`));
  return new Set(lines.filter((line) => !line.endsWith(':')));
}

export interface Interval {
  mean: number;
  /** 95 %, Student's t over the runs; absent for fewer than two. */
  low?: number;
  high?: number;
  runs: number;
}

export interface ArmSummary {
  task: string;
  arm: StrategyName;
  /** Geometric mean. */
  speedup: Interval;
  /** Geometric mean of the speedup over that of the first arm with the same task and seed; absent for the first arm. */
  overFirst?: Interval;
  evaluations: Interval;
  tokens: Interval;
  deviceMinutes: Interval;
  correctShare?: Interval;
  levels: Interval;
  pathLength: Interval;
}

/**
 * Means per task and arm over the seeds.
 * @param runs the first arm is that of the first run
 */
export function summariesOf(runs: readonly ArmRun[]): ArmSummary[] {
  const tasks = [...new Set(runs.map((r) => r.task))];
  const arms = [...new Set(runs.map((r) => r.arm))];
  return tasks.flatMap((task) =>
    arms.flatMap((arm) => {
      const own = runs.filter((r) => r.task === task && r.arm === arm);
      if (own.length === 0) return [];
      const ratios = own.flatMap((run) => {
        const first = runs.find((r) => r.task === task && r.arm === arms[0] && r.seed === run.seed);
        return first ? [run.speedup / first.speedup] : [];
      });
      const shares = own.flatMap((r) => (r.correctShare === undefined ? [] : [r.correctShare]));
      const of = (pick: (run: ArmRun) => number): Interval => meanOf(own.map(pick));
      return [
        {
          task,
          arm,
          speedup: geomeanOf(own.map((r) => r.speedup)),
          ...(arm !== arms[0] && ratios.length > 0 && { overFirst: geomeanOf(ratios) }),
          evaluations: of((r) => r.evaluations),
          tokens: of((r) => r.tokens),
          deviceMinutes: of((r) => r.deviceMinutes),
          ...(shares.length > 0 && { correctShare: meanOf(shares) }),
          levels: of((r) => r.levels.length),
          pathLength: of((r) => r.pathLength),
        },
      ];
    }),
  );
}

/** Mean with mean ± t(0.975, n − 1) · s / √n. */
export function meanOf(values: readonly number[]): Interval {
  const runs = values.length;
  const mean = values.reduce((sum, v) => sum + v, 0) / runs;
  if (runs < 2) return { mean, runs };
  const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (runs - 1);
  const half = studentQuantile(0.975, runs - 1) * Math.sqrt(variance / runs);
  return { mean, low: mean - half, high: mean + half, runs };
}

/** The same on logarithms. */
export function geomeanOf(values: readonly number[]): Interval {
  const { mean, low, high, runs } = meanOf(values.map(Math.log));
  if (low === undefined || high === undefined) return { mean: Math.exp(mean), runs };
  return { mean: Math.exp(mean), low: Math.exp(low), high: Math.exp(high), runs };
}
