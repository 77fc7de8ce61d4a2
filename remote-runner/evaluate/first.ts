// The first verdict: correctness on every scenario, then a provisional interval from a sample plan that is fixed beforehand.
import type { Checked } from './check.js';
import type { Libraries } from './libraries.js';
import type { Evaluation } from './evaluation.js';
import type { Rig } from './rig.js';
import { sanitizeFirst } from './sanitized.js';
import { provisionalSpeedup, type Speedup } from './speedup.js';
import { FEWEST, planPairs, type Timed } from './timing.js';

/** Slower than this in every scenario: nobody waits for digits. */
const CLEARLY_SLOW = 0.5;
/** Time for the samples of all scenarios, milliseconds, and the least for one. */
const [BUDGET_MS, LEAST_MS] = [3000, 500];
const MOST = 25;

export async function firstVerdict(evaluation: Evaluation, rig: Rig, libraries: Libraries): Promise<Speedup> {
  const { job, context } = evaluation;
  const seed = evaluation.seed();
  const total = job.layouts.length;
  const checks = await evaluation.phase('check', async () => {
    await evaluation.open(rig, libraries);
    const all: Checked[] = [];
    for (const [done, layout] of job.layouts.entries()) {
      context.progress({ type: 'phase', phase: 'check', detail: `checking ${layout.scenario.id}`, done, total });
      await evaluation.enter(rig, layout, seed);
      all.push(await evaluation.check(rig, layout));
    }
    return all;
  });
  await sanitizeFirst(evaluation);
  // Decided from calls that are no samples, so that the samples are not chosen by what they show.
  const slow = checks.every((c) => c.roughSpeedup !== undefined && c.roughSpeedup < CLEARLY_SLOW);
  if (slow && !evaluation.isOriginal)
    evaluation.warn(`clearly slower in every scenario: timed with ${FEWEST} pairs only`);
  return evaluation.phase('time', async () => {
    const samples: { timed: Timed; weight: number }[] = [];
    for (const [i, layout] of job.layouts.entries()) {
      const { id, weight } = layout.scenario;
      const most = slow ? FEWEST : MOST;
      const rounds = planPairs(checks[i]!.pairMs, Math.max(LEAST_MS, BUDGET_MS / total), FEWEST, most);
      await evaluation.enter(rig, layout, seed);
      let done = 0;
      const onRound = (): void =>
        context.progress({ type: 'phase', phase: 'time', detail: `timing ${id}`, done: ++done, total: rounds });
      samples.push({ timed: await evaluation.time(rig, layout, checks[i]!, { rounds, onRound }), weight });
    }
    return evaluation.report(rig, provisionalSpeedup(samples), job.layouts);
  });
}
