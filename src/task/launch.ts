// The launch of a bare kernel in one scenario: grid, block and dynamic shared memory as numbers.
import { countAt } from './at.js';
import type { TaskFile } from './schema.js';
import { TaskError, type Variables } from './types.js';

export interface ResolvedLaunch {
  grid: [number, number, number];
  block: [number, number, number];
  /** Bytes of dynamic shared memory. */
  shared: number;
}

/** @throws TaskError; the limits of a device are left to the launch itself, which reports them as a verdict */
export function resolveLaunch(launch: NonNullable<TaskFile['launch']>, variables: Variables): ResolvedLaunch {
  const axes = (field: 'grid' | 'block'): [number, number, number] => {
    const given = launch[field];
    const list = Array.isArray(given) ? given : [given];
    const at = (i: number) => `$.launch.${field}${Array.isArray(given) ? `[${i}]` : ''}`;
    const extent = (i: number) => {
      const source = list[i];
      if (source === undefined) return 1;
      const value = countAt(at(i), source, variables, 1);
      if (value > 2 ** 31 - 1) throw new TaskError(at(i), `${value} is more than a launch can hold`);
      return value;
    };
    return [extent(0), extent(1), extent(2)];
  };
  return {
    grid: axes('grid'),
    block: axes('block'),
    shared: launch.shared === undefined ? 0 : countAt('$.launch.shared', launch.shared, variables, 0),
  };
}
