// A first task for a .cu file: what it would call, with which arguments, in which scenarios. Everything that does not follow from
// the code is said: guessed with its reason, or missing with what to write.
import type { Interval } from '../kernel/bound.js';
import { readCode } from '../kernel/code.js';
import type { HostFunction, KernelFile, Parameter } from '../kernel/types.js';
import { integerBounds, isFloating, parseType, resolveDtype, sizeOf } from './dtype.js';
import { validateTask } from './parse.js';
import { allocatedBytes, chooseBare, type Bare } from './propose/bare.js';
import { chooseEntry } from './propose/entry.js';
import { Bodies, stepsOf, unsetGlobals, type Step } from './propose/reach.js';
import { roleOf } from './propose/roles.js';
import { HostScope } from './propose/scope.js';
import { asIntervals, elementsOf, proposeShapes, reachOf, type Shapes } from './propose/shapes.js';
import { optionValue, sizesFor, type Probe } from './propose/sizes.js';

export interface Proposal {
  /** Content of a task file, in the order people write it. Valid unless something is missing. */
  task: Record<string, unknown>;
  /** JSON path of what was guessed, and why it was guessed so. */
  guesses: { path: string; why: string }[];
  /** JSON path of what could not be found, and what to write there. */
  missing: { path: string; what: string }[];
}

/**
 * Proposes a task for a source that was read into `file`.
 * @param fileName of the source, relative to the task
 */
export function proposeTask(file: KernelFile, fileName: string, text: string): Proposal {
  const proposal: Proposal = { task: { source: fileName }, guesses: [], missing: [] };
  const files = file.includes.filter((i) => i.quoted).map((i) => i.path);
  if (files.length > 0) proposal.task['files'] = files;
  const framework = file.includes.find((i) => FRAMEWORK.test(i.path));
  if (framework) {
    const what = `"${framework.path}" makes this a PyTorch extension, which is not supported: move the kernel and a host function over plain pointers to a .cu file of their own`;
    proposal.missing.push({ path: '$.source', what });
    return proposal;
  }
  const bodies = new Bodies(readCode(text), file);
  const entry = chooseEntry(file, bodies.code);
  if (entry) {
    new Proposer(proposal, bodies, entry.fn).propose();
    if (entry.others.length > 0) {
      const names = entry.others.map((f) => f.name).join(', ');
      guess(proposal, '$.entry', `the file has other functions that launch: ${names}`);
    }
  } else {
    const bare = chooseBare(file, bodies);
    if (bare) {
      new Proposer(proposal, bodies, bare.kernel, bare).propose();
      const unset = unsetGlobals(bodies.code, bare.kernel);
      if (unset.length > 0)
        guess(
          proposal,
          '$.kernel',
          `nothing sets ${unset.join(', ')} before the kernel runs: it reads zeros. Give $.entry a host function that copies ` +
            'to it and launches, or initialise it where it is declared',
        );
    } else
      proposal.missing.push({ path: '$.entry', what: 'no kernel was found: name the host function that launches' });
  }
  if (proposal.missing.length === 0) {
    const checked = validateTask(proposal.task);
    if (!checked.ok)
      for (const e of checked.errors) proposal.missing.push({ path: e.path, what: e.message.slice(e.path.length + 2) });
  }
  return proposal;
}

function guess(proposal: Proposal, path: string, why: string): void {
  proposal.guesses.push({ path, why });
}

function product(axes: readonly string[] | undefined): string | undefined {
  return axes?.length === 1 ? axes[0] : axes?.map((axis) => `(${axis})`).join(' * ');
}

/** Headers of PyTorch, whose tensors have no pointers that a task could give. */
const FRAMEWORK = /^(torch|ATen|c10)\//;

/** What the buffers of a first scenario hold at most. */
const MOST_ELEMENTS = 2 ** 21;

interface Scalar {
  parameter: Parameter;
  /** A size varies over scenarios, an option has a value. */
  kind: 'size' | 'value' | 'flag';
  value?: number | string | boolean;
}

class Proposer {
  private readonly parameters: Parameter[];
  private readonly scalars: Scalar[] = [];
  private readonly buffers: Parameter[] = [];
  /** Template parameters that stand for dtypes. */
  private readonly types: string[];
  private readonly sizes: string[];

  constructor(
    private readonly proposal: Proposal,
    private readonly bodies: Bodies,
    private readonly called: Pick<HostFunction, 'parameters' | 'templateParameters' | 'qualifiedName'>,
    private readonly bare?: Bare,
  ) {
    this.parameters = called.parameters.filter((p) => parseType(p.type)?.kind !== 'stream');
    this.types = called.templateParameters.filter((t) => t.kind === 'type').map((t) => t.name);
    this.parameters.forEach((p, i) => this.classify(p, i));
    const extra = [...(bare?.variables.values() ?? [])].filter(
      (v) => !this.scalars.some((s) => s.parameter.name === v),
    );
    this.sizes = [...this.scalars.filter((s) => s.kind === 'size').map((s) => s.parameter.name), ...extra];
  }

  propose(): void {
    const { task, missing } = this.proposal;
    if (this.bare) this.proposeLaunch(this.bare);
    else task['entry'] = this.called.qualifiedName.replaceAll('(anonymous)::', '');
    const shapes = proposeShapes({
      buffers: this.buffers.map((b) => b.name),
      sizes: this.sizes,
      stepsWith: (sizes) => this.steps(sizes),
      blocks: product(this.bare?.grid),
      ...(this.bare ? { allocated: (buffer: string, sizes: Probe) => this.allocated(buffer, sizes) } : {}),
    });
    const steps = this.steps(new Map(this.sizes.map((s) => [s, sizesFor(s, this.sizes).usual])));
    task['arguments'] = this.parameters.map((p, i) => this.argument(p, i, steps, shapes));
    task['scenarios'] = this.scenarios(shapes);
    const outputs = (task['arguments'] as { role?: string }[]).filter((a) => a.role === 'output' || a.role === 'inout');
    if (outputs.length === 0) {
      missing.push({
        path: '$.arguments',
        what: 'no argument is known to be written: give one the role "output" or "inout"',
      });
    }
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

  private dtypeOf(base: string) {
    return this.types.includes(base) ? ('float' as const) : (resolveDtype(base) ?? vectorElement(base));
  }

  /** A bare kernel's template parameter as its launch gives it; an entry's stays a scenario variable. */
  private written(base: string): string {
    const index = this.bare?.kernel.templateParameters.findIndex((t) => t.name === base) ?? -1;
    if (index === -1) return base;
    const given = this.bare?.launch?.templateArguments?.split(',')[index]?.trim();
    return given !== undefined && resolveDtype(given) !== undefined ? given : 'float';
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
  private steps(sizes: Probe): Step[] {
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

  private allocated(buffer: string, sizes: Probe): number | undefined {
    const [step] = this.steps(sizes);
    const type = parseType(this.buffers.find((b) => b.name === buffer)?.type ?? '');
    const dtype = type?.kind === 'pointer' ? this.dtypeOf(type.base) : undefined;
    if (!this.bare || step?.kind !== 'launch' || !dtype) return undefined;
    const bytes = allocatedBytes(this.bodies, this.bare, step.scope, buffer);
    return bytes === undefined ? undefined : bytes / sizeOf(dtype);
  }

  private argument(
    p: Parameter,
    index: number,
    steps: readonly Step[],
    { shapes, fills, offsets }: Shapes,
  ): Record<string, unknown> {
    const at = `$.arguments[${index}]`;
    const type = parseType(p.type);
    if (type?.kind === 'pointer' && this.buffers.includes(p)) {
      const { role, isZeroed, guess: why } = roleOf(p.name, type.isConst, steps);
      if (why !== undefined) guess(this.proposal, `${at}.role`, why);
      const shape = shapes.get(p.name);
      if (shape?.guess !== undefined) guess(this.proposal, `${at}.shape`, shape.guess);
      const element = vectorElement(type.base) ?? this.written(type.base);
      return {
        name: p.name,
        type: `${type.isConst ? 'const ' : ''}${element}*`,
        shape: shape?.shape ?? [],
        ...(role === 'input' && type.isConst ? {} : { role }),
        ...(role === 'input' || role === 'inout' ? this.fill(p.name, type.base, isZeroed, { fills, offsets }, at) : {}),
      };
    }
    const scalar = this.scalars.find((s) => s.parameter === p);
    const argument = { name: p.name, type: type?.kind === 'scalar' ? this.written(type.base) : p.type };
    return scalar?.kind === 'value' ? { ...argument, value: scalar.value } : argument;
  }

  private fill(
    name: string,
    base: string,
    isZeroed: boolean,
    { fills, offsets }: Pick<Shapes, 'fills' | 'offsets'>,
    at: string,
  ): Record<string, unknown> {
    if (isZeroed) return { fill: 'zeros' };
    const dtype = this.dtypeOf(base);
    const bounds = dtype && integerBounds(dtype);
    if (!bounds) return { fill: 'normal' };
    const total = offsets.get(name);
    if (total !== undefined) {
      guess(
        this.proposal,
        `${at}.fill`,
        `one element more than a size, its values are used as indices: where rows start, to ${total}`,
      );
      return { fill: { offsets: total } };
    }
    const limit = fills.get(name);
    if (limit === undefined) {
      guess(this.proposal, `${at}.fill`, 'small integers');
      return { fill: { integers: [0, dtype === 'bool' ? 1 : 100] } };
    }
    guess(this.proposal, `${at}.fill`, 'its values are used as indices');
    const high = typeof limit === 'number' ? Math.min(limit - 1, Number(bounds.high)) : `${limit} - 1`;
    return { fill: { integers: [0, high] } };
  }

  private scenarios(shapes: Shapes): Record<string, unknown>[] {
    const count = this.sizes.length;
    const usual = new Map(this.sizes.map((s) => [s, this.isSquare(shapes) ? 256 : sizesFor(s, this.sizes).usual]));
    const odd = new Map(this.sizes.map((s) => [s, this.isSquare(shapes) ? 97 : sizesFor(s, this.sizes).odd]));
    for (const sizes of [usual, odd]) this.shrink(sizes, shapes);
    const reach = (sizes: Probe) => reachOf(this.steps(sizes), shapes, sizes);
    const isWhole = [...shapes.shapes.values()].some((s) => s.isWhole) || reach(odd) > 1;
    const list: Map<string, number>[] = [usual];
    if (count > 0 && !isWhole) list.push(odd);
    else if (count > 0) {
      guess(
        this.proposal,
        '$.scenarios',
        'no check was found for sizes that are no multiples of its block: only such are listed',
      );
      list.push(new Map([...usual].map(([name, value]) => [name, Math.max(1, Math.floor(value / 2))])));
      const equal = list.map((sizes) => new Map([...sizes.keys()].map((name) => [name, Math.min(...sizes.values())])));
      // Reach is an upper bound: only what is far outside is a fault of the sizes.
      if (list.some((sizes) => reach(sizes) > 1.5) && equal.every((sizes) => reach(sizes) < 1.5)) {
        guess(
          this.proposal,
          '$.scenarios',
          'with sizes that differ it reaches beyond its buffers: only equal ones are listed',
        );
        list.splice(0, list.length, ...equal);
      }
    }
    const flags = this.scalars.filter((s) => s.kind === 'flag').map((s) => s.parameter.name);
    if (count > 0) guess(this.proposal, '$.scenarios', 'the sizes are examples: put those that matter to you');
    return list.map((sizes, i) => ({
      ...Object.fromEntries(sizes),
      ...Object.fromEntries(flags.map((f) => [f, i === 0])),
      ...(this.bare ? {} : Object.fromEntries(this.types.map((t) => [t, 'float']))),
    }));
  }

  /** One size that spans both sides of a matrix. */
  private isSquare({ shapes }: Shapes): boolean {
    return (
      this.sizes.length === 1 && [...shapes.values()].some((s) => s.shape.length === 2 && s.shape[0] === s.shape[1])
    );
  }

  /**
   * Halves sizes until blocks hold at most 1024 threads, since some kernels put a whole row or problem into one block, and
   * until buffers are small enough for the CPU target.
   */
  private shrink(sizes: Map<string, number>, { shapes }: Shapes): void {
    for (let round = 0; round < 40; round++) {
      const isHuge = [...shapes.values()].some((s) => elementsOf(s.shape, sizes) > MOST_ELEMENTS);
      const tooLarge =
        isHuge ||
        this.steps(sizes).some((step) => {
          if (step.kind !== 'launch') return false;
          const block = step.scope.axes(step.launch.block.text).reduce((n, axis) => n * (axis?.high ?? 1), 1);
          return block > 1024;
        });
      const [largest] = [...sizes].sort((a, b) => b[1] - a[1]);
      if (!tooLarge || !largest) return;
      sizes.set(largest[0], Math.floor(largest[1] / 2));
    }
  }

  private proposeLaunch(bare: Bare): void {
    const { task, missing } = this.proposal;
    task['kernel'] = bare.name;
    const open = this.called.templateParameters.length > 0 && bare.launch === undefined;
    if (open) {
      task['kernel'] =
        `${bare.name}<${bare.kernel.templateParameters.map((t) => t.default ?? (t.kind === 'type' ? 'float' : '32')).join(', ')}>`;
      guess(this.proposal, '$.kernel', 'nothing launches it: template arguments are examples');
    }
    if (bare.launch === undefined) {
      task['launch'] = { grid: [numberOr(bare.imagined?.grid.text ?? '1')], block: [256] };
      guess(
        this.proposal,
        '$.launch',
        'nothing in the file launches the kernel: one thread per element of the first size',
      );
      const { startIndex, endIndex } = bare.kernel.range;
      const words = this.bodies.code.tokens.filter((t) => t.start >= startIndex && t.end <= endIndex);
      if (words.some((t, i) => t.text === 'extern' && words[i + 1]?.text === '__shared__')) {
        missing.push({ path: '$.launch.shared', what: 'the kernel uses dynamic shared memory: write how many bytes' });
      }
      return;
    }
    const others = new Set(this.bodies.file.launches.map((l) => l.kernel).filter((k) => k !== bare.launch?.kernel));
    if (others.size > 0) {
      guess(this.proposal, '$.kernel', `the file launches other kernels too: ${[...others].join(', ')}`);
    }
    if (!bare.grid)
      missing.push({
        path: '$.launch.grid',
        what: `${bare.launch.grid.text} is not understood: write it over the scenario variables`,
      });
    if (!bare.block)
      missing.push({
        path: '$.launch.block',
        what: `${bare.launch.block.text} is not understood: write it over the scenario variables`,
      });
    if (bare.launch.shared && bare.launch.shared.text !== '0' && bare.shared === undefined) {
      missing.push({
        path: '$.launch.shared',
        what: `${bare.launch.shared.text} is not understood: write its bytes over the scenario variables`,
      });
    }
    task['launch'] = {
      grid: (bare.grid ?? []).map(numberOr),
      block: (bare.block ?? []).map(numberOr),
      ...(bare.shared === undefined ? {} : { shared: numberOr(bare.shared) }),
    };
  }
}

function numberOr(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** `float4` → float: buffers of vectors are described by their elements. */
function vectorElement(base: string) {
  const match = /^(float|double|int|uint)[234]$/.exec(base);
  return match ? resolveDtype(match[1] ?? '') : undefined;
}
