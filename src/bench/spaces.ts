// `bench spaces`: how near to the optimum a search comes within few evaluations, on spaces that were measured in full.
import { SURROGATE_GRID, type SurrogateSettings } from '../search/surrogate.js';
import { type ReplayJob, recordedSpace } from './jobs.js';
import { expectedOfRandom } from './replay.js';
import { averageOf, type Estimate, meanOf, normalized } from './statistics.js';
import { runJobs, type Threads } from './threads.js';

export const BUDGETS = [25, 50, 100, 200, 400] as const;
/** Settings are chosen by the mean fraction at these. */
const CHOSEN_BY = [50, 100, 200];
/** Seeds that choose settings are none of those that are reported. */
const CHOOSING_SEED = 2 ** 20;
const CHOOSING_SEEDS = 10;

/** Estimates by budget. */
export interface Curve {
  fraction: Estimate[];
  /** Random search, in closed form. */
  random: number[];
  /** (fraction − random) / (1 − random). */
  normalized: Estimate[];
}

export interface SpaceResult extends Curve {
  space: string;
  optimizer: string;
  /** Which settings the other kernels chose; absent unless left out. */
  settings?: SurrogateSettings;
}

export interface SpacesReport {
  budgets: readonly number[];
  seeds: number;
  spaces: SpaceResult[];
  /** Mean over the spaces, by optimiser. */
  average: Record<string, Curve>;
}

export interface SpacesOptions {
  files: readonly string[];
  optimizers: readonly string[];
  seeds: number;
  budgets: readonly number[];
  threads: Threads;
  onProgress: (done: number, of: number) => void;
}

/** Replays every optimiser on every space with seeds 1 to `seeds`. */
export async function benchSpaces(options: SpacesOptions): Promise<SpacesReport> {
  const { files, optimizers, budgets, seeds } = options;
  const runs = optimizers.flatMap((optimizer) => files.map((file) => ({ optimizer, file })));
  const fractions = await replayAll(runs, range(1, seeds), Math.max(...budgets), options);
  const spaces = runs.map((run, i) => ({
    space: nameOf(run.file),
    optimizer: run.optimizer,
    ...curveOf(run.file, fractions[i]!, budgets),
  }));
  return { budgets, seeds, spaces, average: averages(spaces, optimizers) };
}

/**
 * The headline: for each kernel the default strategy with the settings that did best on the spaces of all other kernels, by
 * seeds of their own; so no figure comes from settings that have seen its kernel.
 * @throws RangeError with fewer than two kernels
 */
export async function benchLeftOut(options: SpacesOptions): Promise<SpacesReport> {
  const { files, budgets, seeds } = options;
  const kernels = [...new Set(files.map((file) => recordedSpace(file).kernel))];
  if (kernels.length < 2) {
    throw new RangeError(
      `leaving a kernel out needs spaces of two kernels or more; all given are of ${kernels.join()}`,
    );
  }
  const trials = SURROGATE_GRID.flatMap((settings) =>
    files.map((file) => ({ optimizer: 'surrogate', settings, file })),
  );
  const chosenBy = await replayAll(trials, range(CHOOSING_SEED, CHOOSING_SEEDS), Math.max(...CHOSEN_BY), options);
  const score = (settings: SurrogateSettings, without: string) => {
    const others = trials.flatMap((t, i) =>
      t.settings === settings && recordedSpace(t.file).kernel !== without ? [scoreOf(chosenBy[i]!)] : [],
    );
    return others.reduce((sum, s) => sum + s, 0) / others.length;
  };
  const runs = files.map((file) => {
    const { kernel } = recordedSpace(file);
    const settings = [...SURROGATE_GRID].sort((a, b) => score(b, kernel) - score(a, kernel))[0]!;
    return { optimizer: 'surrogate', settings, file };
  });
  const fractions = await replayAll(runs, range(1, seeds), Math.max(...budgets), options);
  const spaces = runs.map((run, i) => ({
    space: nameOf(run.file),
    optimizer: 'left out',
    settings: run.settings,
    ...curveOf(run.file, fractions[i]!, budgets),
  }));
  return { budgets, seeds, spaces, average: averages(spaces, ['left out']) };
}

type Run = Pick<ReplayJob, 'optimizer' | 'settings' | 'file'>;

/** Per run the fractions of every seed. */
async function replayAll(
  runs: readonly Run[],
  seeds: readonly number[],
  budget: number,
  { threads, onProgress }: SpacesOptions,
): Promise<number[][][]> {
  const jobs = runs.flatMap((run) => seeds.map((seed): ReplayJob => ({ kind: 'replay', ...run, seed, budget })));
  const results = await runJobs(jobs, threads, (done) => onProgress(done, jobs.length));
  return runs.map((_, i) => results.slice(i * seeds.length, (i + 1) * seeds.length));
}

function scoreOf(fractions: readonly number[][]): number {
  const all = fractions.flatMap((f) => CHOSEN_BY.map((budget) => f[budget - 1]!));
  return all.reduce((sum, v) => sum + v, 0) / all.length;
}

function curveOf(file: string, fractions: readonly number[][], budgets: readonly number[]): Curve {
  const { costs } = recordedSpace(file);
  const fraction = budgets.map((budget) => meanOf(fractions.map((f) => f[budget - 1]!)));
  const random = budgets.map((budget) => expectedOfRandom(costs, budget));
  return { fraction, random, normalized: fraction.map((f, i) => normalized(f, random[i]!)) };
}

function averages(spaces: readonly SpaceResult[], optimizers: readonly string[]): Record<string, Curve> {
  const budgets = spaces[0]?.fraction.keys() ?? [];
  const at = [...budgets];
  const entries = optimizers.map((optimizer): [string, Curve] => {
    const own = spaces.filter((s) => s.optimizer === optimizer);
    const curve = {
      fraction: at.map((i) => averageOf(own.map((s) => s.fraction[i]!))),
      random: at.map((i) => own.reduce((sum, s) => sum + s.random[i]!, 0) / own.length),
      normalized: at.map((i) => averageOf(own.map((s) => s.normalized[i]!))),
    };
    return [optimizer, curve];
  });
  return Object.fromEntries(entries);
}

function nameOf(file: string): string {
  const { kernel, device } = recordedSpace(file);
  return `${kernel} on ${device}`;
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}
