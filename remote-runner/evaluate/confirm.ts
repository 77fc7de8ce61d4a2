// The confirmed verdict: fresh processes as the unit, fresh seeds, held-out scenarios, and before a win the keeper's own clock.
import { asBorneOut } from './borne-out.js';
import type { Checked } from './check.js';
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

/** What one set of fresh processes says of the scenarios that are timed, in their order. */
interface Set {
  told: Timed[];
  /** Of clocks outside, where the set tells a gain: scenarios without one may be slower than told too. */
  seen?: Seen[];
}

/** Looks at the interval after 4, 6 and 9 sets of processes, and ends as soon as it excludes 1. */
export async function confirmedVerdict(evaluation: Evaluation, first: Rig, libraries: Libraries): Promise<Speedup> {
  const { job, context } = evaluation;
  const timed = job.layouts.filter((l) => !l.scenario.heldOut);
  const weights = timed.map((l) => l.scenario.weight);
  const sets: Set[] = [];
  const total = looks[looks.length - 1]!;
  while (sets.length < total) {
    const done = sets.length;
    context.progress({ type: 'phase', phase: 'time', detail: 'confirming in fresh processes', done, total });
    const measure = (rig: Rig): Promise<Set> =>
      evaluation.phase('confirm', () => oneSet(evaluation, rig, libraries, done === 0));
    sets.push(done === 0 ? await measure(first) : await evaluation.withRig(measure));
    if (!looks.some((l) => l === sets.length)) continue;
    const told = confirmedSpeedup(
      sets.map((s) => s.told),
      weights,
    );
    const borne = confirmedSpeedup(
      sets.map((s) => s.seen?.map((one) => one.borne) ?? s.told),
      weights,
    );
    const speedup = asBorneOut(told, borne);
    const warnings = evaluation.isOriginal ? [] : confirmGain(evaluation, timed, sets, told, borne);
    const { low, high } = decisive(speedup);
    if (low <= 1 && high >= 1 && sets.length < total) continue;
    await evaluation.report(first, speedup, timed);
    for (const warning of warnings) evaluation.warn(warning);
    if (low > 1 && !evaluation.isOriginal) {
      await sanitizeBeforeAWin(evaluation);
      evaluation.draft.regimes = await evaluation.phase('regimes', () => regimesOf(evaluation, libraries, speedup));
    } else await sanitizeFirst(evaluation);
    return speedup;
  }
  throw new Error('unreachable: the last look returns');
}

async function oneSet(evaluation: Evaluation, rig: Rig, libraries: Libraries, heldOut: boolean): Promise<Set> {
  const seed = evaluation.seed();
  const told: Timed[] = [];
  const entered: [Layout, Checked][] = [];
  await evaluation.open(rig, libraries);
  for (const layout of evaluation.job.layouts) {
    const isHeldOut = layout.scenario.heldOut;
    if (isHeldOut && !heldOut) continue;
    await evaluation.enter(rig, layout, seed);
    const checked = await evaluation.check(rig, layout);
    if (isHeldOut) continue;
    const rounds = planPairs(checked.pairMs, BUDGET_MS, FEWEST, MOST);
    told.push(await evaluation.time(rig, layout, checked, { rounds }));
    entered.push([layout, checked]);
  }
  const gain = entered.reduce((sum, [{ scenario }], i) => sum + scenario.weight * median(logRatios(told[i]!)), 0);
  // Only a time that would make a win is worth a lie.
  if (evaluation.isOriginal || gain <= 0) return { told };
  const seen: Seen[] = [];
  for (const [i, [layout, checked]] of entered.entries()) {
    // It is still in the last one.
    if (entered.length > 1) await evaluation.enter(rig, layout, seed);
    seen.push(await evaluation.clock(rig, layout, checked, told[i]!));
  }
  return { told, seen };
}

/**
 * @returns what to warn of in the end
 * @throws Ended where the times told are beyond doubt not the true ones
 */
function confirmGain(evaluation: Evaluation, timed: Layout[], sets: Set[], told: Speedup, borne: Speedup): string[] {
  const warnings: string[] = [];
  for (const [i, { scenario }] of timed.entries()) {
    const seen = sets.flatMap((s) => s.seen?.[i] ?? []);
    if (seen.length < 2) continue;
    const claim = {
      scenario: scenario.id,
      told: told.perScenario[i]!,
      borne: borne.perScenario[i]!,
      seen,
      cold: evaluation.cold,
    };
    const { finding, warning } = confirmTimes(claim, evaluation.tools.toolchain.emulated);
    if (warning) warnings.push(warning);
    if (!finding) continue;
    evaluation.draft.findings.push(finding);
    throw new Ended('finding', finding.message);
  }
  return warnings;
}
