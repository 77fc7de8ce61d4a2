// Every optimiser by name.
import { annealing } from './annealing.js';
import { cmaSearch } from './cma-search.js';
import { differentialEvolution } from './differential-evolution.js';
import { forestSearch } from './forest-search.js';
import { geneticSearch } from './genetic.js';
import { greedySearch } from './greedy.js';
import type { Optimizer } from './optimizer.js';
import { parzenSearch } from './parzen.js';
import { randomSearch } from './random.js';
import type { Configuration, Space } from './space.js';
import { surrogateSearch } from './surrogate.js';

/** @param start what the sources have; absent where nothing is known */
export type MakeOptimizer = (space: Space, seed: number, start?: Configuration) => Optimizer;

/** What `tune` and a bench without a name use. */
export const DEFAULT_OPTIMIZER = 'surrogate';

export const OPTIMIZERS: Readonly<Record<string, MakeOptimizer>> = {
  random: randomSearch,
  greedy: greedySearch,
  annealing,
  genetic: geneticSearch,
  'differential-evolution': differentialEvolution,
  'cma-es': cmaSearch,
  parzen: parzenSearch,
  forest: forestSearch,
  surrogate: (space, seed, start) => surrogateSearch(space, seed, start),
};
