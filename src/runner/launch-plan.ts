// What each version of a task's sources launches in each scenario, read from its text: with it a runner evaluates device code
// alone (docs/evaluator.md, tiers). Where the text does not plainly say it, the plan says why.
import path from 'node:path';
import {
  LIMITS,
  type EvaluateParams,
  type LaunchPlan,
  type PlanStep,
  type SourceFile,
  type WireTask,
} from '../../remote-runner/protocol.js';
import { Refusal } from '../kernel/host/refusal.js';
import { type Bindings, CallReader } from '../kernel/host/resolve.js';
import { HostSources } from '../kernel/host/sources.js';
import type { Step } from '../kernel/host/steps.js';
import { convert, integer, SCALARS, truth, type Value } from '../kernel/host/values.js';
import type { KernelParser } from '../kernel/parser.js';
import { resolveArguments } from '../task/arguments.js';
import { resolveLaunch } from '../task/launch.js';
import { requireTask, validateTask } from '../task/parse.js';
import { expandScenarios } from '../task/scenarios.js';
import type { TaskFile } from '../task/schema.js';
import type { Dtype, ResolvedArgument, Scenario, Value as TaskValue } from '../task/types.js';

/** Headers that are looked into, and the characters of one. */
const [MOST_HEADERS, LONGEST_HEADER] = [64, 2 ** 18];

/**
 * The same parameters with the plans of all versions in them.
 * @param files contents of the read-only files by sha256
 * @throws TaskError
 */
export async function withPlans(
  params: EvaluateParams,
  files: ReadonlyMap<string, Uint8Array>,
  load: () => Promise<KernelParser>,
): Promise<EvaluateParams> {
  const { task: wire, candidate, incumbent } = params;
  const task = requireTask(validateTask(wire.task));
  const parser = await load();
  const plan = (sources: SourceFile[]): LaunchPlan =>
    launchPlanOf(task, wire.call, [...headersOf(sources, wire, files), ...sources], parser);
  const plans = {
    original: plan(wire.original),
    ...(candidate && { candidate: plan(candidate) }),
    ...(incumbent && { incumbent: plan(incumbent) }),
  };
  const isLarge = JSON.stringify(plans).length > LIMITS.plans;
  return { ...params, plans: isLarge ? { original: { why: 'has too many launches in too many scenarios' } } : plans };
}

/** The task's read-only files that sources include by their place, and what those include. */
function headersOf(
  sources: readonly SourceFile[],
  { files: shipped }: WireTask,
  contents: ReadonlyMap<string, Uint8Array>,
): SourceFile[] {
  const found = new Map<string, SourceFile>();
  const open = [...sources];
  for (let file = open.shift(); file && found.size < MOST_HEADERS; file = open.shift()) {
    for (const [, named = ''] of file.text.matchAll(/^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"/gm)) {
      const name = path.posix.join(path.posix.dirname(file.path), named);
      const bytes = contents.get(shipped.find((f) => f.path === name)?.sha256 ?? '');
      if (!bytes || bytes.length > LONGEST_HEADER || found.has(name)) continue;
      const header = { path: name, text: new TextDecoder().decode(bytes) };
      found.set(name, header);
      open.push(header);
    }
  }
  return [...found.values()].reverse();
}

/** @param call the call of the entry as it travels with the task */
export function launchPlanOf(
  task: TaskFile,
  call: string | undefined,
  sources: SourceFile[],
  parser: KernelParser,
): LaunchPlan {
  try {
    const texts = sources.map((s) => s.text);
    const reader = new CallReader(new HostSources(parser, texts, definesOf(task)));
    const scenarios = expandScenarios(task).map((scenario): [string, PlanStep[]] => [
      scenario.id,
      stepsOf(reader, task, call, scenario).map(onTheWire),
    ]);
    return { scenarios: Object.fromEntries(scenarios) };
  } catch (error) {
    if (error instanceof Refusal) return { why: error.message };
    // The stack's end.
    if (error instanceof RangeError) return { why: 'stands in a file that is nested too deep' };
    throw error;
  }
}

/** Macros as the compiler is given them. */
const definesOf = ({ build }: TaskFile): Record<string, string> =>
  Object.fromEntries(
    Object.entries(build.define).map(([k, v]) => [k, typeof v === 'boolean' ? String(Number(v)) : String(v)]),
  );

function stepsOf(reader: CallReader, task: TaskFile, call: string | undefined, scenario: Scenario): Step[] {
  const args = resolveArguments(task, scenario);
  const bindings = bindingsOf(args, scenario);
  if (task.kernel === undefined || task.launch === undefined) {
    const expression = call ?? task.call;
    if (expression === undefined) throw new Refusal('has no call');
    return reader.entry(expression, bindings);
  }
  const passed = call?.startsWith(`${task.kernel}(`)
    ? call.slice(task.kernel.length + 1, -1)
    : args.map((a) => a.name).join(', ');
  return reader.kernel(task.kernel, passed, resolveLaunch(task.launch, scenario.variables), bindings);
}

/** What the names of the call are, as the runner's trampoline declares them. */
function bindingsOf(args: readonly ResolvedArgument[], scenario: Scenario): Bindings {
  const bindings = new Map<string, { type: string } | { value: Value }>();
  for (const [name, value] of Object.entries(scenario.variables)) bindings.set(name, variable(value));
  let buffers = 0;
  for (const a of args) {
    const { name } = a;
    if (a.kind === 'buffer') {
      bindings.set(name, { value: { kind: 'pointer', argument: buffers++, offset: 0n, to: cpp(a.dtype) } });
      continue;
    }
    const type = SCALARS.get(a.dtype);
    // The trampoline makes those of 16 bits from a float: their bits are not known here.
    if (type === undefined) throw new Refusal(`takes ${name}, a ${a.dtype} by value`);
    bindings.set(name, { value: convert(typeof a.value === 'boolean' ? BigInt(a.value) : a.value, type) });
  }
  bindings.set('stream', { value: { kind: 'stream' } });
  return bindings;
}

const cpp = (dtype: Dtype): string => (dtype === 'half' ? '__half' : dtype);

function variable(value: TaskValue): { type: string } | { value: Value } {
  if (typeof value === 'string') return { type: cpp(value as Dtype) };
  if (typeof value === 'boolean') return { value: truth(value) };
  if (!Number.isInteger(value)) return { value: convert(value, SCALARS.get('double')!) };
  return { value: integer(value, SCALARS.get(Math.abs(value) > 0x7fffffff ? 'long long' : 'int')) };
}

function onTheWire(step: Step): PlanStep {
  if (step.kind === 'memset') {
    const { argument, ...rest } = step;
    return { ...rest, buffer: argument };
  }
  return {
    ...step,
    arguments: step.arguments.map((a) => {
      if (a.kind === 'value') return { bytes: a.bytes as 1 | 2 | 4 | 8, bits: a.bits.toString(16) };
      return a.argument === undefined ? { buffer: null } : { buffer: a.argument, offset: a.offset };
    }),
  };
}
