// The confirmed verdict: fresh processes as the unit, fresh seeds, held-out scenarios, and before a win the keeper's own clock.
import { type Seen, confirmTimes } from './clock.js';
import type { Libraries } from './libraries.js';
import { Ended } from './ended.js';
import type { Evaluation } from './evaluation.js';
import type { Layout } from './layout.js';
import { regimesOf } from './regimes.js';
import type { Rig } from './rig.js';
import { sanitizeBeforeAWin, sanitizeFirst } from './sanitized.js';
import { confirmedSpeedup, decisive, looks, type Speedup } from './speedup.js';
import { median } from './statistics.js';
import { logRatios, planPairs, type Timed } from './timing.js';

/** Time for the samples of one scenario in one set of processes, milliseconds; fewest and most rounds of them. */
const BUDGET_MS = 400;
const [FEWEST, MOST] = [5, 11];

/** Looks at the interval after 4, 6 and 9 sets of processes, and ends as soon as it excludes 1. */
export async function confirmedVerdict(evaluation: Evaluation, first: Rig, libraries: Libraries): Promise<Speedup> {
  const { job, context } = evaluation;
  const timed = job.layouts.filter((l) => !l.scenario.heldOut);
  const weights = timed.map((l) => l.scenario.weight);
  const sets: Timed[][] = [];
  const seen = new Map<Layout, Seen[]>();
  const total = looks[looks.length - 1]!;
  while (sets.length < total) {
    const done = sets.length;
    context.progress({ type: 'phase', phase: 'time', detail: 'confirming in fresh processes', done, total });
    const measure = (rig: Rig): Promise<Timed[]> =>
      evaluation.phase('confirm', () => oneSet(evaluation, rig, libraries, done === 0, seen));
    sets.push(done === 0 ? await measure(first) : await evaluation.withRig(measure));
    if (!looks.some((l) => l === sets.length)) continue;
    const speedup = confirmedSpeedup(sets, weights);
    const { low, high } = decisive(speedup);
    if (low <= 1 && high >= 1 && sets.length < total) continue;
    await evaluation.report(first, speedup, timed);
    if (low > 1 && !evaluation.isOriginal) await beforeAWin(evaluation, libraries, seen, speedup);
    else await sanitizeFirst(evaluation);
    return speedup;
  }
  throw new Error('unreachable: the last look returns');
}

async function oneSet(
  evaluation: Evaluation,
  rig: Rig,
  libraries: Libraries,
  heldOut: boolean,
  seen: Map<Layout, Seen[]>,
): Promise<Timed[]> {
  const seed = evaluation.seed();
  const samples: Timed[] = [];
  await evaluation.open(rig, libraries);
  for (const layout of evaluation.job.layouts) {
    const isHeldOut = layout.scenario.heldOut;
    if (isHeldOut && !heldOut) continue;
    await evaluation.enter(rig, layout, seed);
    const checked = await evaluation.check(rig, layout);
    if (isHeldOut) continue;
    const rounds = planPairs(checked.pairMs, BUDGET_MS, FEWEST, MOST);
    const timed = await evaluation.time(rig, layout, checked, { rounds });
    samples.push(timed);
    // Only a time that would make a win is worth a lie.
    if (evaluation.isOriginal || median(logRatios(timed)) <= 0) continue;
    const known = seen.get(layout) ?? [];
    seen.set(layout, known);
    known.push(await evaluation.clock(rig, layout, checked, timed));
  }
  return samples;
}

async function beforeAWin(
  evaluation: Evaluation,
  libraries: Libraries,
  seen: Map<Layout, Seen[]>,
  speedup: Speedup,
): Promise<void> {
  for (const [layout, all] of seen) {
    if (all.length < 2) continue;
    const { finding, warning } = confirmTimes(layout.scenario.id, all, evaluation.tools.toolchain.emulated);
    if (warning) evaluation.warn(warning);
    if (!finding) continue;
    evaluation.draft.findings.push(finding);
    throw new Ended('finding', finding.message);
  }
  await sanitizeBeforeAWin(evaluation);
  evaluation.draft.regimes = await evaluation.phase('regimes', () => regimesOf(evaluation, libraries, speedup));
}
