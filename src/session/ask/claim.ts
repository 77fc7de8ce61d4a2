// A claimed limit, and what the harness knows of limits: the least time that work and device allow, beside what was reached.
import type { StrategyContext } from '../strategy.js';

/**
 * Least milliseconds by scenario, as the runner computed them from the task's `work` and the device's peaks; undefined where
 * they are not known. Scenarios that are held out are left out.
 */
export function floorsOf({ baseline }: Pick<StrategyContext, 'baseline'>): Record<string, number> | undefined {
  const known = baseline.scenarios.flatMap(({ id, heldOut, timing }) =>
    heldOut !== true && timing?.floorMs !== undefined ? [[id, timing.floorMs] as const] : [],
  );
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** What the agent is told when it claims a limit. */
export function floorText(context: StrategyContext, floors: Record<string, number> | undefined): string {
  if (!floors) {
    return 'noted; the least time of the work is not known here: the task states no work, or the device has no known peaks';
  }
  const { verdict } = context.incumbent() ?? { verdict: context.baseline };
  const lines = verdict.scenarios.flatMap(({ id, timing }) => {
    const floor = floors[id];
    if (floor === undefined || !timing) return [];
    const { candidateMs } = timing;
    return [
      `  ${id}: at least ${floor.toPrecision(3)} ms; best so far ${candidateMs.toPrecision(3)} ms, ` +
        `${(candidateMs / floor).toFixed(2)} times that`,
    ];
  });
  return ['noted; by the work that the task states and the peaks of the device:', ...lines].join('\n');
}
