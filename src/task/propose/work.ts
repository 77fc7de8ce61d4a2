// How much an emulation of the kernels has to do: threads times the passes through their innermost counting loops.
import type { Condition } from '../../kernel/conditions.js';
import type { Step } from './reach.js';
import { KernelScope } from './scope.js';

/** Passes over all threads of all launches; loops whose limit is not understood, and those of functions called, count once. */
export function workOf(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => {
    if (step.kind === 'fill') return sum;
    const { scope, launch, kernel, body } = step;
    const inKernel = new KernelScope(scope, launch, kernel, body, new Map());
    const loops = body.conditions.filter((c) => c.step !== undefined);
    const most = Math.max(1, ...loops.map((inner) => passesOf(inner, loops, inKernel)));
    const axes = [...scope.axes(launch.grid.text), ...scope.axes(launch.block.text)];
    return sum + axes.reduce((threads, axis) => threads * (axis?.high ?? 1), most);
  }, 0);
}

/** Passes of a loop within those around it. */
function passesOf(inner: Condition, loops: readonly Condition[], scope: KernelScope): number {
  const around = new Map<number, number>();
  for (const loop of loops) {
    if (loop.from > inner.from || inner.to > loop.to) continue;
    // Conditions of one loop: the strictest ends it.
    around.set(loop.from, Math.min(around.get(loop.from) ?? Infinity, scope.passes(loop) ?? Infinity));
  }
  return [...around.values()].filter(Number.isFinite).reduce((product, passes) => product * passes, 1);
}
