// `bench bbob`: CMA-ES's expected running time beside a reference, and how every optimiser moves.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { OPTIMIZERS } from '../search/strategies.js';
import { BBOB_FUNCTIONS } from './bbob/functions.js';
import { runningTimes, TARGETS } from './ert.js';
import { type Job } from './jobs.js';
import { type Estimate, meanOf } from './statistics.js';
import { runJobs, type Threads } from './threads.js';

/** Successes, of 15, that both need before their running times are compared. */
const ENOUGH = 12;
const INSTANCES = [1, 2, 3, 4, 5];
/** Seeds of the reference an instance. */
const SEEDS = [1, 2, 3];
const METRICS_DIMENSIONS = [2, 5];
const METRICS_BUDGET = 100;

const reference = z.object({
  ert: z.record(z.string(), z.record(z.string(), z.object({ ert: z.number().nullable(), succ: z.number() }))),
});

export interface ErtRow {
  dimension: number;
  target: number;
  /** Functions that both solve often enough. */
  functions: number;
  /** Geometric mean of (expected running time over the reference's), with its 95 % interval over the functions. */
  ratio: number;
  low: number;
  high: number;
}

export interface MetricsRow {
  optimizer: string;
  dimension: number;
  bestStep: Estimate;
  coverage: Estimate;
  pathLength: Estimate;
}

export interface BbobReport {
  ert: ErtRow[];
  metrics: MetricsRow[];
}

/** @param file expected running times as of test/fixtures/bbob */
export async function benchBbob(
  file: string,
  threads: Threads,
  onProgress: (done: number, of: number) => void,
): Promise<BbobReport> {
  const { ert } = reference.parse(JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')));
  const functions = Array.from({ length: BBOB_FUNCTIONS }, (_, i) => i + 1);
  const cma = [2, 5].flatMap((dimension) =>
    functions.flatMap((number) =>
      INSTANCES.flatMap((instance) =>
        SEEDS.map((seed): Job => ({ kind: 'cma', function: number, dimension, instance, seed })),
      ),
    ),
  );
  const names = Object.keys(OPTIMIZERS);
  const walks = names.flatMap((optimizer) =>
    METRICS_DIMENSIONS.flatMap((dimension) =>
      functions.map((number): Job => ({
        kind: 'trajectory',
        optimizer,
        function: number,
        dimension,
        instance: 1,
        seed: 1,
        budget: METRICS_BUDGET,
      })),
    ),
  );
  const jobs = [...cma, ...walks];
  const results = await runJobs(jobs, threads, (done) => onProgress(done, jobs.length));
  const runsOf = (number: number, dimension: number) =>
    cma.flatMap((job, i) =>
      job.kind === 'cma' && job.function === number && job.dimension === dimension ? [results[i]!] : [],
    );
  const rows = [2, 5].flatMap((dimension) =>
    TARGETS.map((target, t) => {
      const logs = functions.flatMap((number) => {
        const own = runningTimes(runsOf(number, dimension))[t]!;
        const other = Object.entries(ert[`f${number}-d${dimension}`] ?? {}).find(
          ([key]) => Number(key) === target,
        )?.[1];
        const isSolved = own.successes >= ENOUGH && (other?.succ ?? 0) >= ENOUGH;
        return isSolved && other?.ert ? [Math.log(own.ert / other.ert)] : [];
      });
      const { mean, low, high } = meanOf(logs);
      return {
        dimension,
        target,
        functions: logs.length,
        ratio: Math.exp(mean),
        low: Math.exp(low),
        high: Math.exp(high),
      };
    }),
  );
  return { ert: rows, metrics: metricsRows(walks, results.slice(cma.length)) };
}

function metricsRows(walks: readonly Job[], results: readonly number[][]): MetricsRow[] {
  return Object.keys(OPTIMIZERS).flatMap((optimizer) =>
    METRICS_DIMENSIONS.map((dimension) => {
      const own = results.filter((_, i) => {
        const job = walks[i];
        return job?.kind === 'trajectory' && job.optimizer === optimizer && job.dimension === dimension;
      });
      const at = (k: number) => meanOf(own.map((r) => r[k]!));
      return { optimizer, dimension, bestStep: at(0), coverage: at(1), pathLength: at(2) };
    }),
  );
}

export function bbobLines({ ert, metrics }: BbobReport): string[] {
  const cells = (...texts: string[]) => texts.map((t) => t.padStart(24)).join('');
  return [
    'CMA-ES: expected running time over the reference, geometric mean over functions with 12 of 15 successes in both',
    cells('dimension, target', 'functions', 'ratio', '95 % interval'),
    ...ert.map((r) =>
      cells(
        `${r.dimension}, ${r.target}`,
        String(r.functions),
        r.ratio.toFixed(3),
        `${r.low.toFixed(3)} to ${r.high.toFixed(3)}`,
      ),
    ),
    '',
    `movement over ${METRICS_BUDGET} evaluations, mean of ${BBOB_FUNCTIONS} functions`,
    cells('optimiser, dimension', 'best step / steps', 'coverage', 'path length'),
    ...metrics.map((m) =>
      cells(
        `${m.optimizer}, ${m.dimension}`,
        ...[m.bestStep, m.coverage, m.pathLength].map(
          ({ mean, high }) => `${mean.toFixed(2)} ±${(high - mean).toFixed(2)}`,
        ),
      ),
    ),
  ];
}
