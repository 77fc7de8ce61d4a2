// What is right on the inputs that lie in the segment.
import type { Rig } from './rig.js';
import { onSide } from './side.js';

/** Makes it the expectation: what the reference gives, where the task has one, else what the original has just left. */
export async function keepExpected(rig: Rig, limitMs: number): Promise<void> {
  if (!rig.sides.includes('reference')) return rig.keep('baseline');
  await onSide('reference', rig.sample('reference', limitMs, false));
  await rig.keep('reference');
}
