// What an evaluation has built.
import type { Library } from './module-plan.js';
import type { Side } from './rig.js';

/** By the side that runs them. */
export type Libraries = Partial<Record<Side, Library>> & {
  /** Programs by the file that the task names. */
  checkers: ReadonlyMap<string, string>;
};
