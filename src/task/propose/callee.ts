// What a task would call, an entry or a bare kernel: its parameters sorted into buffers, sizes, values and flags, and what its
// kernels do when the sizes are given.
import type { Interval } from '../../kernel/bound.js';
import type { HostFunction, Parameter } from '../../kernel/types.js';
import { isFloating, parseType, resolveDtype, sizeOf } from '../dtype.js';
import type { Dtype } from '../types.js';
import { allocatedBytes, type Bare } from './bare.js';
import { guess, type Proposal } from './proposal.js';
import { stepsOf, type Bodies, type Step } from './reach.js';
import { HostScope } from './scope.js';
import { asIntervals } from './shapes.js';
import { optionValue, type Probe } from './sizes.js';

interface Scalar {
  parameter: Parameter;
  /** A size varies over scenarios, an option has a value. */
  kind: 'size' | 'value' | 'flag';
  value?: number | string | boolean;
}

export class Callee {
  readonly parameters: Parameter[];
  readonly scalars: Scalar[] = [];
  readonly buffers: Parameter[] = [];
  /** Template parameters that stand for dtypes. */
  readonly types: string[];
  readonly sizes: string[];

  /** @param proposal is told of types that have no value, and of guessed values */
  constructor(
    private readonly proposal: Proposal,
    private readonly bodies: Bodies,
    readonly called: Pick<HostFunction, 'parameters' | 'templateParameters' | 'qualifiedName'>,
    readonly bare?: Bare,
  ) {
    this.parameters = called.parameters.filter((p) => parseType(p.type)?.kind !== 'stream');
    this.types = called.templateParameters.filter((t) => t.kind === 'type').map((t) => t.name);
    this.parameters.forEach((p, i) => this.classify(p, i));
    const extra = [...(bare?.variables.values() ?? [])].filter(
      (v) => !this.scalars.some((s) => s.parameter.name === v),
    );
    this.sizes = [...this.scalars.filter((s) => s.kind === 'size').map((s) => s.parameter.name), ...extra];
  }

  private classify(p: Parameter, index: number): void {
    const type = parseType(p.type);
    if (type?.kind === 'pointer' && this.dtypeOf(type.base) !== undefined) {
      this.buffers.push(p);
      return;
    }
    const dtype = type?.kind === 'scalar' ? this.dtypeOf(type.base) : undefined;
    if (dtype === undefined) {
      const what = `the type ${p.type} has no value in a task: write "call", for example with braces for a struct`;
      this.proposal.missing.push({ path: `$.arguments[${index}].type`, what });
      return;
    }
    const fixed = this.bare?.values.get(p.name);
    const option = optionValue(p.name);
    if (fixed !== undefined) this.scalars.push({ parameter: p, kind: 'value', value: fixed });
    else if (dtype === 'bool') this.scalars.push({ parameter: p, kind: 'flag' });
    else if (isFloating(dtype)) this.scalars.push({ parameter: p, kind: 'value', value: this.realValue(p, index) });
    else if (option !== undefined) {
      this.scalars.push({ parameter: p, kind: 'value', value: option });
      guess(this.proposal, `$.arguments[${index}].value`, `${p.name} looks like an option: ${option}`);
    } else this.scalars.push({ parameter: p, kind: 'size' });
  }

  /** The dtype of a type; float stands for template parameters, an element for its vector. */
  dtypeOf(base: string): Dtype | undefined {
    return this.types.includes(base) ? ('float' as const) : (resolveDtype(base) ?? vectorElement(base));
  }

  private realValue(p: Parameter, index: number): number {
    const value = /eps/i.test(p.name)
      ? 1e-5
      : /beta|decay|momentum/i.test(p.name)
        ? 0.5
        : /lr|rate/i.test(p.name)
          ? 0.01
          : 1.5;
    guess(this.proposal, `$.arguments[${index}].value`, `a value for ${p.name} that shows mistakes: ${value}`);
    return value;
  }

  /** What the kernels do with given sizes. */
  steps(sizes: Probe): Step[] {
    const given = new Map<string, Interval>();
    for (const s of this.scalars) {
      const value = s.kind === 'size' ? sizes.get(s.parameter.name) : typeof s.value === 'number' ? s.value : 1;
      if (value !== undefined) given.set(s.parameter.name, { low: value, high: value });
    }
    const { bare } = this;
    if (!bare) {
      const pointers = new Map(this.buffers.map((b) => [b.name, b.name]));
      return stepsOf(this.bodies, this.called as HostFunction, given, pointers);
    }
    const launch = bare.launch ?? bare.imagined;
    if (!launch) return [];
    const host = asIntervals(new Map([...bare.variables].map(([name, variable]) => [name, sizes.get(variable) ?? 1])));
    const { kernel } = bare;
    const pointers = new Map(this.buffers.map((b) => [b.name, b.name]));
    const range = bare.fn?.range ?? { ...kernel.range, endIndex: kernel.range.startIndex };
    const scope = new HostScope(this.bodies.code, this.bodies.file, this.bodies.of(range), host);
    return [{ kind: 'launch', launch, kernel, body: this.bodies.ofKernel(kernel), scope, pointers }];
  }

  /** Elements that the host allocates for a buffer. */
  allocated(buffer: string, sizes: Probe): number | undefined {
    const [step] = this.steps(sizes);
    const type = parseType(this.buffers.find((b) => b.name === buffer)?.type ?? '');
    const dtype = type?.kind === 'pointer' ? this.dtypeOf(type.base) : undefined;
    if (!this.bare || step?.kind !== 'launch' || !dtype) return undefined;
    const bytes = allocatedBytes(this.bodies, this.bare, step.scope, buffer);
    return bytes === undefined ? undefined : bytes / sizeOf(dtype);
  }
}

/** `float4` → float: buffers of vectors are described by their elements. */
export function vectorElement(base: string): Dtype | undefined {
  const match = /^(float|double|int|uint)[234]$/.exec(base);
  return match ? resolveDtype(match[1] ?? '') : undefined;
}
