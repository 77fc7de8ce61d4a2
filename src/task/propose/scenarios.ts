// The scenarios of a proposed task: the program's own sizes or usual ones, and odd ones beside; small enough for any machine.
import type { Callee } from './callee.js';
import { guess, type Proposal } from './proposal.js';
import { elementsOf, reachOf, type Shapes } from './shapes.js';
import { sizesFor, type Probe } from './sizes.js';
import { workOf } from './work.js';

/** What the buffers of a first scenario hold at most. */
const MOST_ELEMENTS = 2 ** 21;

/** What an emulation on a CPU gets through in seconds: elements of all buffers, and passes of inner loops over all threads. */
const BUDGET = { elements: 2 ** 23, work: 2 ** 25 };

/**
 * One object per scenario; what of them is a guess is said in the proposal.
 * @param own sizes that the program itself runs with, where it says them
 */
export function proposeScenarios(
  proposal: Proposal,
  callee: Callee,
  shapes: Shapes,
  own: Probe | undefined,
): Record<string, unknown>[] {
  const { sizes: names } = callee;
  const count = names.length;
  const isSquare = spansSquare(names, shapes);
  const usual = new Map(names.map((s) => [s, isSquare ? 256 : sizesFor(s, names).usual]));
  const odd = new Map(names.map((s) => [s, isSquare ? 97 : sizesFor(s, names).odd]));
  for (const sizes of [usual, odd]) shrink(sizes, callee, shapes);
  const reach = (sizes: Probe) => reachOf(callee.steps(sizes), shapes, sizes);
  const isWhole = [...shapes.shapes.values()].some((s) => s.isWhole) || reach(odd) > 1;
  const isOwn = own !== undefined && isAffordable(own, callee, shapes) && reach(own) < 1.5;
  const list: Probe[] = [isOwn ? own : usual];
  if (count > 0 && !isWhole) list.push(isSame(odd, list[0]) ? usual : odd);
  else if (count > 0) {
    guess(
      proposal,
      '$.scenarios',
      'no check was found for sizes that are no multiples of its block: only such are listed',
    );
    const half = new Map([...usual].map(([name, value]) => [name, Math.max(1, Math.floor(value / 2))]));
    list.push(isSame(half, list[0]) ? usual : half);
    const equal = list.map((sizes) => new Map([...sizes.keys()].map((name) => [name, Math.min(...sizes.values())])));
    // Reach is an upper bound: only what is far outside is a fault of the sizes.
    if (list.some((sizes) => reach(sizes) > 1.5) && equal.every((sizes) => reach(sizes) < 1.5)) {
      guess(
        proposal,
        '$.scenarios',
        'with sizes that differ it reaches beyond its buffers: only equal ones are listed',
      );
      list.splice(0, list.length, ...equal);
    }
  }
  const flags = callee.scalars.filter((s) => s.kind === 'flag').map((s) => s.parameter.name);
  if (count > 0) guess(proposal, '$.scenarios', originOf(own, isOwn));
  const distinct = list.filter((sizes, i) => !list.slice(0, i).some((other) => isSame(sizes, other)));
  return distinct.map((sizes, i) => ({
    ...Object.fromEntries(sizes),
    ...Object.fromEntries(flags.map((f) => [f, i === 0])),
    ...(callee.bare ? {} : Object.fromEntries(callee.types.map((t) => [t, 'float']))),
  }));
}

/** Where the sizes come from, in words. */
function originOf(own: Probe | undefined, isOwn: boolean): string {
  if (own === undefined) return 'the sizes are examples: put those that matter to you';
  if (isOwn) return 'first the sizes that the program itself runs with, then an example: put those that matter to you';
  const sizes = [...own].map(([name, value]) => `${name} = ${value}`).join(', ');
  return `the sizes are examples, since the program's own (${sizes}) are many for a CPU: put those that matter to you`;
}

function isAffordable(sizes: Probe, callee: Callee, { shapes }: Shapes): boolean {
  const elements = [...shapes.values()].reduce((sum, s) => sum + elementsOf(s.shape, sizes), 0);
  return elements <= BUDGET.elements && workOf(callee.steps(sizes)) <= BUDGET.work;
}

function isSame(a: Probe, b: Probe | undefined): boolean {
  return [...a].every(([name, value]) => b?.get(name) === value);
}

/** One size that spans both sides of a matrix. */
function spansSquare(names: readonly string[], { shapes }: Shapes): boolean {
  return names.length === 1 && [...shapes.values()].some((s) => s.shape.length === 2 && s.shape[0] === s.shape[1]);
}

/**
 * Halves sizes until blocks hold at most 1024 threads, since some kernels put a whole row or problem into one block, and
 * until buffers are small enough for the CPU target.
 */
function shrink(sizes: Map<string, number>, callee: Callee, { shapes }: Shapes): void {
  for (let round = 0; round < 40; round++) {
    const isHuge = [...shapes.values()].some((s) => elementsOf(s.shape, sizes) > MOST_ELEMENTS);
    const tooLarge =
      isHuge ||
      callee.steps(sizes).some((step) => {
        if (step.kind !== 'launch') return false;
        const block = step.scope.axes(step.launch.block.text).reduce((n, axis) => n * (axis?.high ?? 1), 1);
        return block > 1024;
      });
    const [largest] = [...sizes].sort((a, b) => b[1] - a[1]);
    if (!tooLarge || !largest) return;
    sizes.set(largest[0], Math.floor(largest[1] / 2));
  }
}
