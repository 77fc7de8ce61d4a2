// What an evaluation has built.
import type { Side } from './rig.js';

/** Libraries by the side that runs them. */
export type Libraries = Partial<Record<Side, string>> & {
  /** Programs by the file that the task names. */
  checkers: ReadonlyMap<string, string>;
};
