// What an evaluation has built.
import type { ModulePlan } from './module-plan.js';
import type { Side } from './rig.js';

/** What a worker loads: a library with its host code, or a module with what is launched of it. */
export interface Library {
  file: string;
  plan?: ModulePlan;
}

/** By the side that runs them. */
export type Libraries = Partial<Record<Side, Library>> & {
  /** Programs by the file that the task names. */
  checkers: ReadonlyMap<string, string>;
};
