// The units of work of the benches: plain data in, numbers out, so that any of them can run in a thread of its own.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import path from 'node:path';
import { readRecordedSpace, type RecordedSpace } from '../search/recorded.js';
import { OPTIMIZERS, type MakeOptimizer } from '../search/strategies.js';
import { surrogateSearch, type SurrogateSettings } from '../search/surrogate.js';
import { replay } from './replay.js';

export interface Job {
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

/** Fractions of the optimum after each evaluation. @throws RangeError on a file that cannot be read or an unknown optimiser */
export function runJob(job: Job): number[] {
  const recorded = recordedSpace(job.file);
  return replay(recorded, makeOf(job)(recorded.space, job.seed), job.budget);
}

function makeOf({ optimizer, settings }: Job): MakeOptimizer {
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
