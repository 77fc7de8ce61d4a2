// What else is told of a win: does it hold with the other state of the cache, and under steady load?
import type { Regime } from '../protocol.js';
import type { Libraries } from './libraries.js';
import type { Evaluation } from './evaluation.js';
import { provisionalSpeedup, type Speedup } from './speedup.js';
import { FEWEST } from './timing.js';

/** Calls without a pause before each sample, milliseconds; the first rounds bring the device to its steady clocks. */
const HEAT_MS = 150;

/**
 * One scenario, the one the original takes longest for, in one set of processes. The CPU target has neither a cache to flush
 * nor clocks that are told.
 */
export async function regimesOf(evaluation: Evaluation, libraries: Libraries, speedup: Speedup): Promise<Regime[]> {
  if (evaluation.tools.toolchain.emulated) return [];
  const timed = evaluation.job.layouts.filter((l) => !l.scenario.heldOut);
  const times = speedup.perScenario.map((s) => s.baselineMs);
  const layout = timed[times.indexOf(Math.max(...times))]!;
  const { cold } = evaluation;
  const variants = [
    { cold: !cold, heatMs: 0 },
    { cold, heatMs: HEAT_MS },
  ];
  evaluation.context.progress({ type: 'phase', phase: 'time', detail: 'the other cache state, and steady load' });
  return evaluation.withRig(async (rig) => {
    await evaluation.open(rig, libraries);
    await evaluation.enter(rig, layout, evaluation.seed());
    const checked = await evaluation.check(rig, layout);
    const regimes: Regime[] = [];
    for (const { cold: isCold, heatMs } of variants) {
      const options = { rounds: FEWEST, cold: isCold, heatMs };
      const samples = await evaluation.time(rig, layout, checked, options);
      const { overall } = provisionalSpeedup([{ timed: samples, weight: 1 }]);
      regimes.push({
        scenario: layout.scenario.id,
        cache: isCold ? 'cold' : 'warm',
        load: heatMs > 0 ? 'sustained' : 'burst',
        speedup: { value: overall.value, low: overall.low, high: overall.high },
        pairs: samples.baseline.length,
      });
    }
    return regimes;
  });
}
