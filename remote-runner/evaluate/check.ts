// Correctness of one scenario: does the candidate agree with the original, twice, inside its buffers?
import type { Finding, OutputReport, Status } from '../protocol.js';
import type { Comparison, ExpectedDescription, OutputComparison } from './comparison.js';
import type { Layout } from './layout.js';
import type { Rig, Side } from './rig.js';
import { WorkerFailure } from './worker.js';

/** How far the original's results move between two runs on the same inputs, per region. */
export type Spread = Map<number, Pick<OutputComparison, 'mismatches' | 'incomparable' | 'maxAbs'>>;

export interface Checked {
  status: Status;
  message?: string;
  outputs: OutputReport[];
  findings: Finding[];
  warnings: string[];
  spread: Spread;
  /** Longest a candidate's call may take, milliseconds. */
  limitMs: number;
  /** Over the faster of original and incumbent, from one call each: enough to see that a candidate is far slower. */
  roughSpeedup?: number;
  /** Wall milliseconds of one pair with everything around it, to plan samples with. */
  pairMs: number;
}

/** A side failed: says whose fault it is. */
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

export function reports(layout: Layout, comparison: Comparison): OutputReport[] {
  return comparison.outputs.map((o) => {
    const { name, tolerance } = layout.regions[o.region]!.argument;
    return {
      name,
      elements: o.elements,
      mismatches: o.mismatches,
      maxAbs: wire(o.maxAbs),
      maxRel: wire(o.maxRel),
      ...tolerance,
      first: o.first,
    };
  });
}

const wire = (n: number): number | string =>
  Number.isFinite(n) ? n : Number.isNaN(n) ? 'nan' : n > 0 ? 'inf' : '-inf';

/** What a comparison says of the memory around the outputs and of the inputs. */
export function integrity(layout: Layout, comparison: Comparison): Finding[] {
  const name = (region: number): string => layout.regions[region]!.argument.name;
  return [
    ...comparison.fences.map((f) => {
      const edge = f.side === 'before' ? 'before the start' : 'after the end';
      const place = f.distance === 0 ? `right ${edge}` : `${f.distance} bytes ${edge}`;
      return {
        code: 'out_of_bounds_write',
        message: `scenario ${layout.scenario.id}: a write out of bounds, ${place} of ${name(f.region)}`,
      };
    }),
    ...comparison.gaps.map(({ region, element }) => ({
      code: 'out_of_bounds_write',
      message: `scenario ${layout.scenario.id}: a write out of bounds, between the elements of ${name(region)}, ${element} elements after its start`,
    })),
    ...comparison.changedInputs.map((region) => ({
      code: 'input_changed',
      message: `scenario ${layout.scenario.id}: the input ${name(region)} was written to; if that is meant, its role is inout`,
    })),
  ];
}

/** A mismatch no larger than what the original does to itself proves nothing against the candidate. */
export function judge(comparison: Comparison, spread: Spread): 'correct' | 'wrong' | 'inconclusive' {
  let doubtful = false;
  for (const o of comparison.outputs) {
    if (o.mismatches === 0) continue;
    const own = spread.get(o.region);
    if (!own || own.mismatches === 0 || !(o.maxAbs <= 4 * own.maxAbs)) return 'wrong';
    // NaN or an infinity where the original never differs in one: no spread covers that.
    if (o.incomparable > 0 && own.incomparable === 0) return 'wrong';
    doubtful = true;
  }
  return doubtful ? 'inconclusive' : 'correct';
}

export function firstMismatch(outputs: OutputReport[]): string {
  const bad = outputs.find((o) => o.mismatches > 0);
  const at = bad?.first[0];
  if (!bad || !at) return '';
  return `${bad.name}[${at.index}]: expected ${at.expected}, got ${at.got} (${bad.mismatches} of ${bad.elements} elements differ)`;
}

/** Why agreeing with these expected values would say little; `refuses`: so little that no candidate can be judged. */
function doubtAbout(layout: Layout, expected: ExpectedDescription): { message: string; refuses: boolean } | undefined {
  const { name, tolerance, shape } = layout.regions[expected.region]!.argument;
  const where = `scenario ${layout.scenario.id}`;
  const elements = shape.reduce((a, b) => a * b, 1);
  if (expected.nans === elements)
    return {
      message: `${where}: the original gives nothing but NaN in ${name}: nothing can be checked against that`,
      refuses: true,
    };
  if (expected.nans > 0)
    return {
      message: `${where}: the original gives NaN in ${expected.nans} elements of ${name}; a candidate must give it there too. Around inputs lies NaN: does it read out of bounds?`,
      refuses: false,
    };
  if (expected.unsortedRows > 0)
    return {
      message: `${where}: the original’s ${name} stands in no order in ${expected.unsortedRows} rows, so "sorted" cannot be asked of a candidate. Where any order will do, "compare" is "set".`,
      refuses: true,
    };
  if (!expected.zerosPass) return undefined;
  if (expected.allZero)
    return {
      message: `${where}: the original gives nothing but zeros in ${name}: is an input, or a constant of the file, not set?`,
      refuses: false,
    };
  return {
    message: `the tolerance of ${name} (rtol ${tolerance.rtol}, atol ${tolerance.atol}) does not tell it from zeros: its values reach only ${expected.maxAbs.toPrecision(3)} in ${where}. Lower $.tolerance.atol.`,
    refuses: true,
  };
}

/**
 * Runs original and candidate on one scenario and compares. Expects the rig to have entered the scenario.
 * @param originalLimitMs time limit of the original
 * @param isOriginal the candidate is the original itself
 */
export async function checkScenario(
  rig: Rig,
  layout: Layout,
  options: { originalLimitMs: number; isOriginal: boolean; cold: boolean },
): Promise<Checked> {
  const started = performance.now();
  const warnings: string[] = [];
  const where = `scenario ${layout.scenario.id}`;
  await rig.keeper.draw(0);
  const first = await onSide('baseline', rig.sample('baseline', options.originalLimitMs, options.cold, true));
  await rig.keep('baseline');
  const own = await rig.compare('baseline', true);
  const ownFindings = integrity(layout, own);
  const rerun = await onSide('baseline', rig.sample('baseline', options.originalLimitMs, options.cold));
  const again = await rig.compare('baseline');
  const spread: Spread = new Map(again.outputs.map((o) => [o.region, o]));
  for (const o of again.outputs) {
    if (o.mismatches > 0)
      warnings.push(
        `${where}: the original does not reproduce ${layout.regions[o.region]!.argument.name} within its tolerance: ${o.mismatches} of ` +
          `${o.elements} elements moved, at most by ${o.maxAbs.toPrecision(3)}. Loosen the tolerance to at least that.`,
      );
  }
  // An incumbent that is far faster than the original shortens the wait for a candidate that hangs.
  const incumbent = rig.sides.includes('incumbent')
    ? await onSide('incumbent', rig.sample('incumbent', options.originalLimitMs, options.cold))
    : undefined;
  const limitMs = Math.max(2000, 20 * Math.min(first.host, incumbent?.host ?? Infinity));
  const nextPair = performance.now();
  await onSide('candidate', rig.sample('candidate', limitMs, options.cold, true));
  const comparison = await rig.compare('candidate', true);
  const pairMs = (performance.now() - nextPair) * 2;
  const outputs = reports(layout, comparison);
  const findings = integrity(layout, comparison);
  if (!options.isOriginal) for (const f of ownFindings) warnings.push(`of the original itself: ${f.message}`);
  const done = (status: Status, message?: string): Checked => ({
    status,
    message,
    outputs,
    findings,
    warnings,
    spread,
    limitMs,
    pairMs,
  });

  for (const described of await rig.keeper.describe()) {
    const doubt = doubtAbout(layout, described);
    if (!doubt) continue;
    if (doubt.refuses && !options.isOriginal) return done('task_error', doubt.message);
    warnings.push(doubt.message);
  }
  const [finding] = findings;
  if (finding && options.isOriginal)
    return done('finding', `${finding.message}; it is the original itself: is a shape of the task too small?`);
  if (finding) return done('finding', finding.message);
  const judged = judge(comparison, spread);
  if (judged === 'wrong' && options.isOriginal) {
    warnings.push(`${where}: two processes of the original disagree: ${firstMismatch(outputs)}. Loosen the tolerance.`);
    return done('correct');
  }
  if (judged === 'wrong') return done('wrong', `${where}: ${firstMismatch(outputs)}`);
  if (judged === 'inconclusive' && !options.isOriginal)
    return done(
      'inconclusive',
      `${where}: differs from the original by no more than the original from itself: ${firstMismatch(outputs)}`,
    );

  // The same inputs once more: a result that comes and goes is no result.
  const last = await onSide('candidate', rig.sample('candidate', limitMs, options.cold));
  const second = await rig.compare('candidate');
  const [damage] = integrity(layout, second);
  if (damage) return { ...done('finding', damage.message), findings: [damage] };
  const repeated = judge(second, spread);
  if (repeated !== 'correct' && !options.isOriginal)
    return {
      ...done(
        repeated === 'wrong' ? 'nondeterministic' : 'inconclusive',
        `${where}: right once, then on the same inputs ${firstMismatch(reports(layout, second))}`,
      ),
      outputs: reports(layout, second),
    };
  return {
    ...done('correct'),
    pairMs: Math.max(pairMs, (performance.now() - started) / 3),
    roughSpeedup: Math.min(rerun.event, incumbent?.event ?? Infinity) / last.event,
  };
}
