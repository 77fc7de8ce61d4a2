// The entry of a task and the functions of its source → the one C++ call that the trampoline makes.
import type { HostFunction, KernelFile, Parameter } from '../kernel/types.js';
import { parseType, resolveDtype } from './dtype.js';
import { nearest, show } from './message.js';
import { expandScenarios } from './scenarios.js';
import type { TaskArgument, TaskFile } from './schema.js';
import { TaskError } from './types.js';

type CallTask = Pick<TaskFile, 'entry' | 'call' | 'arguments' | 'scenarios' | 'heldOut'>;

/**
 * One call expression over argument names, scenario variables and `stream`. A `call` of the task is returned as it is: whether it
 * is one expression is for the syntax tree to say (checkCall of the kernel room).
 * @throws TaskError when no function or no single call fits, listing the signatures
 */
export function resolveCall(task: CallTask, file: Pick<KernelFile, 'hostFunctions' | 'kernels'>): string {
  if (task.call !== undefined) return task.call.trim();
  const entry = task.entry?.replace(/^::/, '');
  if (entry === undefined) throw new TaskError('$.entry', 'is missing: only tasks with an entry are called');
  const named = file.hostFunctions.filter((f) => isNamed(f, entry));
  if (named.length === 0) throw notFound(entry, file);
  const attempts = named.map((f) => attempt(f, task));
  const calls = new Set(attempts.flatMap((a) => (typeof a === 'string' ? [a] : [])));
  const [call] = calls;
  if (calls.size === 1 && call !== undefined) return call;
  const signatures = named.map((f) => f.signature).join(', ');
  if (calls.size > 1) {
    throw new TaskError(
      '$.entry',
      `${show(entry)} fits several functions differently: ${signatures}. Choose with "call"`,
    );
  }
  const [only] = attempts;
  if (attempts.length === 1 && typeof only === 'object') throw only;
  throw new TaskError(
    '$.entry',
    `no ${show(entry)} takes these arguments; there are ${signatures}. Adapt "arguments" or give "call"`,
  );
}

function plainName(f: HostFunction): string {
  return f.qualifiedName.replaceAll('(anonymous)::', '');
}

function isNamed(f: HostFunction, entry: string): boolean {
  const name = plainName(f);
  return name === entry || name.endsWith(`::${entry}`);
}

function notFound(entry: string, file: Pick<KernelFile, 'hostFunctions' | 'kernels'>): TaskError {
  if (file.kernels.some((k) => k.name === entry || k.qualifiedName === entry)) {
    return new TaskError(
      '$.entry',
      `${show(entry)} is a kernel: use "kernel" with "launch", or name the host function that launches it`,
    );
  }
  const names = file.hostFunctions.map(plainName);
  const near = nearest(entry, names);
  const launching = file.hostFunctions.filter((f) => f.launches.length > 0).map(plainName);
  const known =
    launching.length > 0
      ? `functions that launch: ${launching.join(', ')}`
      : 'no host function launches: use "kernel" and "launch"';
  const remedy = near === undefined ? known : `did you mean "${near}"?`;
  return new TaskError('$.entry', `the sources have no host function ${show(entry)}: ${remedy}`);
}

/** The call of one function, or why it does not fit. */
function attempt(f: HostFunction, task: CallTask): string | TaskError {
  const listed = task.arguments.map((argument, index) => ({ argument, index })).filter((a) => !isStream(a.argument));
  const last = f.parameters.at(-1);
  const takesStream = last !== undefined && isStreamType(last.type);
  const own = takesStream ? f.parameters.slice(0, -1) : f.parameters;
  const isOptional = (p: Parameter) => p.default !== undefined;
  const surplus = own.slice(listed.length);
  if (own.length < listed.length || !surplus.every(isOptional)) {
    const wanted = own.map((p) => `${p.type} ${p.name}`.trim()).join(', ');
    return new TaskError(
      '$.arguments',
      `lists ${listed.length}, but ${f.signature} takes ${own.length}: ${wanted || 'none'}`,
    );
  }
  if (surplus.length > 0 && takesStream) {
    return new TaskError(
      '$.arguments',
      `${f.signature} takes its stream after ${surplus.length} more: list them, or give "call"`,
    );
  }
  const bindings = new Map<string, Set<string>>();
  const values: string[] = [];
  for (const [i, { argument, index }] of listed.entries()) {
    const parameter = own[i];
    const value = parameter ? bind(argument, parameter, f, bindings) : undefined;
    if (value === undefined) {
      const message = `${show(argument.type)} does not fit the parameter ${show(`${parameter?.type} ${parameter?.name}`)} of ${f.signature}`;
      return new TaskError(`$.arguments[${index}].type`, `${message}: adapt the type, or give "call"`);
    }
    values.push(value);
  }
  const template = templateArguments(f, bindings, task);
  if (typeof template === 'object') return template;
  return `${reachable(plainName(f), task)}${template}(${[...values, ...(takesStream ? ['stream'] : [])].join(', ')})`;
}

function isStreamType(type: string): boolean {
  return /^(const\s+)?(cudaStream_t|CUstream_st\s*\*)(\s+const)?$/.test(type.trim());
}

function isStream(argument: TaskArgument): boolean {
  return parseType(argument.type)?.kind === 'stream';
}

/** A plain name that an argument or variable hides is called from the global scope; before `::` only scopes are looked up. */
function reachable(name: string, task: CallTask): string {
  const variables = expandScenarios(task).flatMap((s) => Object.keys(s.variables));
  const hidden = ['stream', ...task.arguments.map((a) => a.name), ...variables];
  return hidden.includes(name) ? `::${name}` : name;
}

/** Names whose C++ type differs from CUDA's name for the same dtype: pointers need a cast. */
const OTHER_TYPE = /^(std::)?(char|long|long int|unsigned long|unsigned long int|u?int64_t|size_t|ssize_t|ptrdiff_t)$/;
const VECTOR = /^(__half2|half2|__nv_bfloat162|nv_bfloat162|((?:u?(?:char|short|int|longlong))|float|double)[1-4])$/;

/**
 * The text that passes an argument to a parameter; undefined if the types do not fit.
 * @param bindings collects what each type parameter of the template would be
 */
export function bind(
  argument: TaskArgument,
  parameter: Parameter,
  f: Pick<HostFunction, 'templateParameters'>,
  bindings: Map<string, Set<string>>,
): string | undefined {
  const given = parseType(argument.type);
  const wanted = parseType(parameter.type);
  // A type that is not understood (a struct, a reference) is left to the compiler only for scalars by value.
  if (given === undefined || given.kind === 'stream' || wanted === undefined || wanted.kind === 'stream')
    return undefined;
  if (given.kind !== wanted.kind) return undefined;
  if (given.kind === 'pointer' && wanted.kind === 'pointer' && given.isConst && !wanted.isConst) return undefined;
  const { name } = argument;
  if (f.templateParameters.some((t) => t.kind === 'type' && t.name === wanted.base)) {
    const bound = bindings.get(wanted.base) ?? new Set<string>();
    bindings.set(wanted.base, bound.add(resolveDtype(given.base) ?? given.base));
    return name;
  }
  if (given.kind === 'scalar' || wanted.base === 'void') return name;
  const dtype = resolveDtype(given.base);
  const wantedDtype = resolveDtype(wanted.base);
  if (wantedDtype !== undefined) {
    // An argument whose dtype is a scenario variable may meet an overload of each dtype: the compiler chooses.
    if (dtype !== undefined && dtype !== wantedDtype) return undefined;
    return OTHER_TYPE.test(wanted.base) ? cast(wanted, name) : name;
  }
  if (!VECTOR.test(wanted.base)) return name;
  return cast(wanted, name);
}

function cast(type: { base: string; isConst: boolean } | { base: string }, name: string): string {
  const isConst = 'isConst' in type && type.isConst;
  return `reinterpret_cast<${isConst ? 'const ' : ''}${type.base}*>(${name})`;
}

/** `` where the compiler deduces, `<T>` where scenario variables give the types, an error otherwise. */
function templateArguments(f: HostFunction, bindings: Map<string, Set<string>>, task: CallTask): string | TaskError {
  for (const [parameter, bound] of bindings) {
    if (bound.size > 1) {
      const types = [...bound].map(show).join(' and ');
      return new TaskError(
        '$.entry',
        `${f.signature} would take ${parameter} as ${types}: make the types agree, or give "call"`,
      );
    }
  }
  const open = f.templateParameters.findLastIndex((t) => !bindings.has(t.name) && t.default === undefined);
  if (open === -1) return '';
  const needed = f.templateParameters.slice(0, open + 1);
  const scenarios = expandScenarios(task);
  const isGiven = (name: string) => scenarios.every((s) => typeof s.variables[name] === 'string');
  if (needed.every((t) => t.kind === 'type' && isGiven(t.name))) return `<${needed.map((t) => t.name).join(', ')}>`;
  const names = needed.map((t) => t.name || '…').join(', ');
  return new TaskError(
    '$.entry',
    `${f.signature}: the template arguments ${names} do not follow from the arguments: give "call", for example ` +
      `"${plainName(f)}<…>(${task.arguments.map((a) => a.name).join(', ')}, stream)"`,
  );
}
