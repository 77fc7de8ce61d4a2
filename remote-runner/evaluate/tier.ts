// Whether an evaluation can do with device code alone (tier 1) or host code has to run (tier 2).
import type { TaskFile } from '../../src/task/schema.js';
import type { EvaluateParams } from '../protocol.js';
import type { Toolchain } from '../targets/toolchain.js';

export type TimedPlan = 'original' | 'candidate' | 'incumbent';

/** Every version that takes part is launched the same way: their times would not compare else. */
export const planned = ({ candidate, incumbent }: EvaluateParams): TimedPlan[] => [
  'original',
  ...(candidate ? ['candidate' as const] : []),
  ...(incumbent ? ['incumbent' as const] : []),
];

/**
 * Why host code has to run, as far as that is known before anything is built; undefined where it need not.
 * The empty text: this target knows nothing else.
 */
export function whyHostCode(params: EvaluateParams, task: TaskFile, toolchain: Toolchain): string | undefined {
  const { arch } = task.build;
  if (!toolchain.modules) return '';
  if (!params.plans) return 'the client sent no launch plans';
  if (arch !== 'auto' && arch !== toolchain.info.arch)
    return `it is built for ${arch}, the device is ${toolchain.info.arch}`;
  for (const which of planned(params)) {
    const plan = params.plans[which];
    if (!plan) return `the client sent no launch plan of the ${which}`;
    if ('why' in plan) return hostFunction(which, plan.why);
  }
  return undefined;
}

/** A sentence of a plan with its subject. */
export const hostFunction = (which: TimedPlan, why: string): string => `the ${which}'s host function ${why}`;
