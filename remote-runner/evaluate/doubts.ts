// What of a task itself makes its verdicts say little. Doubts warn; only where nothing can be judged at all do they refuse.
import type { Fill } from '../../src/task/types.js';
import type { Comparison, ExpectedDescription } from './comparison.js';
import type { BufferArgument, Layout } from './layout.js';
import type { Rig } from './rig.js';
import { onSide } from './side.js';

/** Why agreeing with these expected values would say little; `refuses`: so little that no candidate can be judged. */
export function doubtAbout(
  layout: Layout,
  expected: ExpectedDescription,
): { message: string; refuses: boolean } | undefined {
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

/** Draws of these differ from one to the next; the others are always the same. */
const random: readonly Fill['kind'][] = ['normal', 'uniform', 'integers', 'permutation', 'offsets'];
const isDrawn = ({ role, fill }: BufferArgument): boolean =>
  (role === 'input' || role === 'inout') && random.includes(fill.kind);

/** Draws that must all agree with the first one within the tolerance. */
const ALIKE_DRAWS = 3;

/**
 * Outputs whose tolerance does not tell apart what the original gives for different inputs: what is the same for all of them would
 * pass. Expects what is right for the first draw to be the expectation.
 */
export async function doubtsAboutTolerance(
  rig: Rig,
  layout: Layout,
  options: { limitMs: number; cold: boolean },
): Promise<string[]> {
  // Where all draws are the same, what moves is the original by itself.
  if (!layout.regions.some(({ argument }) => isDrawn(argument))) return [];
  let alike: Comparison['outputs'] | undefined;
  // The sum of one draw may be that of another by chance: the fewer values, the likelier.
  for (let draw = 1; draw <= ALIKE_DRAWS && alike?.length !== 0; draw++) {
    await rig.keeper.draw(draw);
    await onSide('baseline', rig.sample('baseline', options.limitMs, options.cold));
    const { outputs } = await rig.compare('baseline');
    const before = alike;
    alike = outputs.filter(
      (o) => o.mismatches === 0 && o.maxAbs > 0 && (!before || before.some(({ region }) => region === o.region)),
    );
  }
  return (alike ?? []).map(({ region, maxAbs }) => {
    const { name, tolerance } = layout.regions[region]!.argument;
    return (
      `the tolerance of ${name} (rtol ${tolerance.rtol}, atol ${tolerance.atol}) does not tell apart what the original gives for ` +
      `different inputs: they move it by no more than ${maxAbs.toPrecision(3)} in scenario ${layout.scenario.id}. Lower it.`
    );
  });
}

/** Draws of one input that must all leave every output as it was; time for all inputs, milliseconds. */
const [DRAWS, BUDGET_MS] = [2, 3000];

/**
 * Does the original's result depend on what it is given, and on that alone? Expects the rig to have entered the scenario.
 * Says nothing of an original that does not reproduce itself: there, everything changes all the time.
 */
export async function doubtsAboutInputs(
  rig: Rig,
  layout: Layout,
  options: { limitMs: number; cold: boolean },
): Promise<string[]> {
  const started = performance.now();
  const where = `scenario ${layout.scenario.id}`;
  const results = async (): Promise<Map<number, string>> => {
    await onSide('baseline', rig.sample('baseline', options.limitMs, options.cold));
    return rig.fingerprints('baseline');
  };
  await rig.keeper.draw(0);
  const first = await results();
  const changed = async (): Promise<string[]> => {
    const now = await results();
    return [...first].filter(([r, bits]) => now.get(r) !== bits).map(([r]) => layout.regions[r]!.argument.name);
  };
  if ((await changed()).length > 0) return [];
  const doubts: string[] = [];
  await rig.keeper.repoison(1);
  for (const name of await changed())
    doubts.push(
      `${where}: the original's ${name} depends on what lay in outputs or workspaces before the call. ` +
        'If it adds to that or leaves some of it as it is, the role is inout; else it reads what it never wrote.',
    );
  if (doubts.length > 0) return doubts;
  for (const [index, { argument }] of layout.regions.entries()) {
    if (!isDrawn(argument)) continue;
    let ignored = true;
    for (let draw = 1; draw <= DRAWS && ignored; draw++) {
      if (performance.now() - started > BUDGET_MS) return doubts;
      await rig.keeper.draw(0);
      await rig.keeper.redraw(index, draw);
      ignored = (await changed()).length === 0;
    }
    if (ignored)
      doubts.push(`${where}: no output of the original depends on ${argument.name}: other values there change nothing`);
  }
  return doubts;
}
