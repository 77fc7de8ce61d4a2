// Every optimiser by name.
import { greedySearch } from './greedy.js';
import type { Optimizer } from './optimizer.js';
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
  surrogate: (space, seed, start) => surrogateSearch(space, seed, start),
};
