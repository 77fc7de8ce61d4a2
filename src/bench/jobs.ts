// The units of work of the benches: plain data in, numbers out, so that any of them can run in a thread of its own.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import path from 'node:path';
import { readRecordedSpace, type RecordedSpace } from '../search/recorded.js';
import { OPTIMIZERS, type MakeOptimizer } from '../search/strategies.js';
import { surrogateSearch, type SurrogateSettings } from '../search/surrogate.js';
import { type ErtRun, runCma } from './ert.js';
import { replay } from './replay.js';
import { runTrajectory, type TrajectoryRun } from './trajectory.js';

export interface ReplayJob {
  kind: 'replay';
  /** A recorded space, gzipped or not. */
  file: string;
  optimizer: string;
  /** For the surrogate: other settings than its own. */
  settings?: SurrogateSettings;
  seed: number;
  /** Unique evaluations. */
  budget: number;
}

export type Job = ReplayJob | ({ kind: 'cma' } & ErtRun) | ({ kind: 'trajectory' } & TrajectoryRun);

/**
 * Of a replay the fractions of the optimum after each evaluation; of the others what runCma and runTrajectory give.
 * @throws RangeError on a file that cannot be read or an unknown optimiser
 */
export function runJob(job: Job): number[] {
  switch (job.kind) {
    case 'replay': {
      const recorded = recordedSpace(job.file);
      return replay(recorded, makeOf(job)(recorded.space, job.seed), job.budget);
    }
    case 'cma':
      return runCma(job);
    case 'trajectory':
      return runTrajectory(job);
  }
}

function makeOf({ optimizer, settings }: ReplayJob): MakeOptimizer {
  if (settings) return (space, seed, start) => surrogateSearch(space, seed, start, settings);
  const make = OPTIMIZERS[optimizer];
  if (!make) throw new RangeError(`no optimiser ${optimizer}; there are ${Object.keys(OPTIMIZERS).join(', ')}`);
  return make;
}

const loaded = new Map<string, RecordedSpace>();

/** Reads a recorded space once a process. */
export function recordedSpace(file: string): RecordedSpace {
  const known = loaded.get(file);
  if (known) return known;
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8');
  const recorded = readRecordedSpace(text, path.basename(file).replace(/\.json(\.gz)?$/, ''));
  loaded.set(file, recorded);
  return recorded;
}
