// What a call of a task's entry launches, with every value, where its host code is plain enough to say so from its text.
import { Budget } from './budget.js';
import { parseExpression } from './expressions.js';
import { Frame } from './frame.js';
import { Refusal } from './refusal.js';
import type { HostSources } from './sources.js';
import { Host } from './statements.js';
import type { Axes, Step } from './steps.js';
import type { Value } from './values.js';

/** A name of the call: a type, or a value with its C++ type. */
export type Binding = { type: string } | { value: Value };
export type Bindings = ReadonlyMap<string, Binding>;

/** Reads all calls of one task: what it may cost is counted over them together. */
export class CallReader {
  private readonly budget = new Budget();

  constructor(private readonly sources: HostSources) {}

  private frame(bindings: Bindings): Frame {
    const frame = new Frame(this.sources, this.budget);
    for (const [name, bound] of bindings) {
      // The call stands before the sources' own names: what they call alike is hidden by it, as in C++.
      if (this.sources.isMacro(name)) throw new Refusal(`has a macro ${name}, the name of an argument or variable`);
      if ('type' in bound) frame.types.set(name, bound.type);
      else frame.declare(name, typeOf(bound.value), bound.value);
    }
    return frame;
  }

  /** @param call one call expression. @throws Refusal */
  entry(call: string, bindings: Bindings): Step[] {
    const host = new Host(this.sources, this.budget);
    const frame = this.frame(bindings);
    const expression = parseExpression(this.sources.text(call), frame.around);
    if (expression.kind !== 'call') throw new Refusal('is called by something that is no call');
    host.call(expression, frame);
    return made(host.steps);
  }

  /**
   * A kernel without a host function.
   * @param kernel its name with template arguments
   * @param passed the argument list
   * @throws Refusal
   */
  kernel(
    kernel: string,
    passed: string,
    launch: { grid: Axes; block: Axes; shared: number },
    bindings: Bindings,
  ): Step[] {
    const host = new Host(this.sources, this.budget);
    const frame = this.frame(bindings);
    const { grid, block, shared } = launch;
    host.value(
      this.sources.text(`cudaFuncSetAttribute(${kernel}, cudaFuncAttributeMaxDynamicSharedMemorySize, ${shared})`),
      frame,
    );
    host.launch(
      this.sources.text(`${kernel}<<<dim3(${grid.join()}), dim3(${block.join()}), ${shared}>>>(${passed})`),
      frame,
    );
    return made(host.steps);
  }
}

function made(steps: Step[]): Step[] {
  if (steps.length === 0) throw new Refusal('launches nothing');
  return steps;
}

const typeOf = (value: Value): { base: string; pointers: number; isReference: boolean; isConst: boolean } => {
  const plain = (base: string, pointers = 0) => ({ base, pointers, isReference: false, isConst: false });
  if (value.kind === 'number') return plain(value.type.name);
  return value.kind === 'pointer' ? plain(value.to, 1) : plain('cudaStream_t');
};
