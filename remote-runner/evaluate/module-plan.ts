// A launch plan beside the module that was built for it: which of its kernels each step means, and whether every step stays
// inside the task's buffers. Where that is not certain, host code runs instead.
import { sizeOf } from '../../src/task/dtype.js';
import type { LaunchPlan, PlanStep } from '../protocol.js';
import type { KernelName } from '../targets/toolchain.js';
import type { Layout } from './layout.js';

/** What a worker is told: kernels by name, and the steps of each scenario as lines (harness/host.cpp). */
export interface ModulePlan {
  kernels: string[];
  steps: ReadonlyMap<string, string[]>;
}

/** What a worker loads: a library with its host code, or a module with what is launched of it. */
export interface Library {
  file: string;
  plan?: ModulePlan;
}

/** Why device code cannot be evaluated alone. */
export class Unplanned extends Error {
  constructor(message: string) {
    super(message.slice(0, 256));
    this.name = 'Unplanned';
  }
}

type Launch = Extract<PlanStep, { kind: 'launch' }>;

/** @throws Unplanned */
export function planModule(plan: LaunchPlan, kernels: readonly KernelName[], layouts: readonly Layout[]): ModulePlan {
  if ('why' in plan) throw new Unplanned(plan.why);
  const readable = kernels.map((k) => ({ ...k, ...readName(k.name) }));
  const used: string[] = [];
  const indexOf = (step: Launch): number => {
    const fitting = readable.filter((k) => isMeant(step, k));
    const [only] = fitting;
    if (fitting.length !== 1 || !only || !/^[\w.$]+$/.test(only.mangled) || only.mangled.length > 4096)
      throw new Unplanned(`launches ${step.kernel.slice(0, 60)}, which is ${fitting.length} kernels of what was built`);
    if (!used.includes(only.mangled)) used.push(only.mangled);
    return used.indexOf(only.mangled);
  };
  const steps = layouts.map((layout): [string, string[]] => {
    const planned = plan.scenarios[layout.scenario.id];
    if (!planned) throw new Unplanned(`has no plan for scenario ${layout.scenario.id}`);
    return [layout.scenario.id, planned.map((step) => lineOf(step, layout, indexOf))];
  });
  return { kernels: used, steps: new Map(steps) };
}

function lineOf(step: PlanStep, layout: Layout, indexOf: (step: Launch) => number): string {
  const place = (buffer: number, offset: number, bytes: number): string => {
    const argument = layout.regions[buffer]?.argument;
    const room = argument ? (argument.span - argument.offset) * sizeOf(argument.dtype) : -1;
    if (offset + bytes > room) throw new Unplanned('leaves a buffer of the task');
    return `${buffer} ${offset}`;
  };
  if (step.kind === 'memset') return `m ${place(step.buffer, step.offset, step.bytes)} ${step.value} ${step.bytes}`;
  const { grid, block, shared, maxShared = -2, carveout = -2, nonPortableCluster = -2, cluster = [0, 0, 0] } = step;
  const numbers = [...grid, ...block, shared, maxShared, carveout, nonPortableCluster, ...cluster];
  const args = step.arguments.map((a) => {
    if ('bits' in a) return `v ${a.bytes} ${a.bits}`;
    return a.buffer === null ? 'n' : `b ${place(a.buffer, a.offset, 0)}`;
  });
  return ['l', indexOf(step), ...numbers, args.length, ...args].join(' ');
}

interface ReadName {
  path: string;
  template: string[];
  /** Absent for a kernel with C linkage, whose name says nothing of them. */
  parameters?: string[];
}

function isMeant(step: Launch, kernel: ReadName): boolean {
  const { path, template, parameters } = kernel;
  if (path !== step.kernel || template.length < step.template.length) return false;
  if (!step.template.every((t, i) => t === template[i])) return false;
  if (!parameters) return step.template.length === 0;
  return parameters.length === step.parameters.length && parameters.every((p, i) => p === step.parameters[i]);
}

/** Takes `void ns::k<float, 4u>(float const*, int)` apart as c++filt prints it. */
export function readName(name: string): ReadName {
  const plain = name.replaceAll('(anonymous namespace)::', '');
  const close = plain.endsWith(')') ? plain.length - 1 : -1;
  const open = close < 0 ? plain.length : openingOf(plain, close, '(', ')');
  let path = plain.slice(0, open);
  let template: string[] = [];
  if (path.endsWith('>')) {
    const start = openingOf(path, path.length - 1, '<', '>');
    template = parts(path.slice(start + 1, -1)).map(templateArgument);
    // Only instances of templates have their result in front.
    path = path.slice(0, start).replace(/^void /, '');
  }
  if (close < 0) return { path, template };
  return {
    path,
    template,
    parameters: parts(plain.slice(open + 1, close)).map((p) => (/\*( const)?$/.test(p) ? '*' : p)),
  };
}

/** Where the bracket opens that closes at an index; -1 where none does. */
function openingOf(text: string, close: number, opener: string, closer: string): number {
  let depth = 0;
  for (let i = close; i >= 0; i--) {
    if (text[i] === closer) depth++;
    else if (text[i] === opener && --depth === 0) return i;
  }
  return -1;
}

function parts(list: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i <= list.length; i++) {
    const c = list[i];
    if (c === '<' || c === '(' || c === '[') depth++;
    else if (c === '>' || c === ')' || c === ']') depth--;
    else if (c === undefined || (c === ',' && depth === 0)) {
      const part = list.slice(from, i).trim();
      if (part !== '') found.push(part);
      from = i + 1;
    }
  }
  return found;
}

/** Values without what says their type: `4u`, `(char)97`. */
const templateArgument = (text: string): string => /^(?:\([\w ]+\))?(-?\d+)[ul]*$/.exec(text)?.[1] ?? text;
