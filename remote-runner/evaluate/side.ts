// A side of the rig failed: says whose fault it is.
import type { Side } from './rig.js';
import { WorkerFailure } from './worker.js';

export class SideFailure extends Error {
  constructor(
    readonly side: Side,
    readonly failure: WorkerFailure,
  ) {
    super(failure.message);
    this.name = 'SideFailure';
  }
}

export async function onSide<T>(side: Side, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof WorkerFailure ? new SideFailure(side, error) : error;
  }
}
