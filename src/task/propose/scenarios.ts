// The scenarios of a proposed task: a usual and an odd one, small enough for any machine.
import type { Callee } from './callee.js';
import { guess, type Proposal } from './proposal.js';
import { elementsOf, reachOf, type Shapes } from './shapes.js';
import { sizesFor, type Probe } from './sizes.js';

/** What the buffers of a first scenario hold at most. */
const MOST_ELEMENTS = 2 ** 21;

/** One object per scenario; what of them is a guess is said in the proposal. */
export function proposeScenarios(proposal: Proposal, callee: Callee, shapes: Shapes): Record<string, unknown>[] {
  const { sizes: names } = callee;
  const count = names.length;
  const isSquare = spansSquare(names, shapes);
  const usual = new Map(names.map((s) => [s, isSquare ? 256 : sizesFor(s, names).usual]));
  const odd = new Map(names.map((s) => [s, isSquare ? 97 : sizesFor(s, names).odd]));
  for (const sizes of [usual, odd]) shrink(sizes, callee, shapes);
  const reach = (sizes: Probe) => reachOf(callee.steps(sizes), shapes, sizes);
  const isWhole = [...shapes.shapes.values()].some((s) => s.isWhole) || reach(odd) > 1;
  const list: Map<string, number>[] = [usual];
  if (count > 0 && !isWhole) list.push(odd);
  else if (count > 0) {
    guess(
      proposal,
      '$.scenarios',
      'no check was found for sizes that are no multiples of its block: only such are listed',
    );
    list.push(new Map([...usual].map(([name, value]) => [name, Math.max(1, Math.floor(value / 2))])));
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
  if (count > 0) guess(proposal, '$.scenarios', 'the sizes are examples: put those that matter to you');
  return list.map((sizes, i) => ({
    ...Object.fromEntries(sizes),
    ...Object.fromEntries(flags.map((f) => [f, i === 0])),
    ...(callee.bare ? {} : Object.fromEntries(callee.types.map((t) => [t, 'float']))),
  }));
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
