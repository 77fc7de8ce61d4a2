// Arguments of a task with everything resolved for one scenario: dtypes, extents, fills, tolerances, scalar values.
import { countAt, evaluateAt } from './at.js';
import { dtypeIn, integerBounds, is64Bit, isFloating, parseType, sizeOf } from './dtype.js';
import { show } from './message.js';
import type { TaskArgument, TaskFile } from './schema.js';
import { defaultTolerance } from './tolerance.js';
import {
  TaskError,
  type Comparer,
  type Dtype,
  type Fill,
  type ResolvedArgument,
  type Role,
  type Tolerance,
  type Value,
  type Variables,
} from './types.js';

/** CUDA allocations are aligned to 256 bytes; a task may ask for less to test unaligned access. */
const DEFAULT_ALIGN = 256;
/** More than any device has: such a size is a mistake in the task. */
const MAX_BYTES = 2 ** 43;

type Buffer = Extract<ResolvedArgument, { kind: 'buffer' }>;

/**
 * The arguments in their order for one scenario, the stream left out.
 * @param only resolve just the argument with this index
 * @throws TaskError naming the path of what does not resolve
 */
export function resolveArguments(
  task: Pick<TaskFile, 'arguments' | 'tolerance'>,
  scenario: { variables: Variables },
  only?: number,
): ResolvedArgument[] {
  return task.arguments.flatMap((argument, i): ResolvedArgument[] => {
    if (only !== undefined && i !== only) return [];
    const at = `$.arguments[${i}]`;
    const type = parseType(argument.type);
    if (type === undefined) throw new TaskError(`${at}.type`, `${show(argument.type)} is not understood`);
    if (type.kind === 'stream') return [];
    const dtype = dtypeIn(type.base, scenario.variables);
    if (dtype === undefined) {
      throw new TaskError(
        `${at}.type`,
        `${show(type.base)} is neither a dtype nor a variable of this scenario that holds one: set it in every scenario`,
      );
    }
    if (type.kind === 'scalar') return [resolveScalar(argument, dtype, scenario.variables, at)];
    return [resolveBuffer(argument, dtype, type.isConst, task.tolerance, scenario.variables, at)];
  });
}

function resolveBuffer(
  argument: TaskArgument,
  dtype: Dtype,
  isConst: boolean,
  fallback: TaskFile['tolerance'],
  variables: Variables,
  at: string,
): Buffer {
  const role = argument.role ?? 'input';
  const shape = (argument.shape ?? []).map((e, i) => countAt(`${at}.shape[${i}]`, e, variables, 1));
  const strides = argument.strides?.map((e, i) => countAt(`${at}.strides[${i}]`, e, variables, 0)) ?? contiguous(shape);
  const offset = argument.offset === undefined ? 0 : countAt(`${at}.offset`, argument.offset, variables, 0);
  const span = shape.reduce((sum, extent, i) => sum + (extent - 1) * (strides[i] ?? 0), offset + 1);
  if (!Number.isSafeInteger(span) || span * sizeOf(dtype) > MAX_BYTES) {
    throw new TaskError(`${at}.shape`, `spans ${span} elements of ${dtype}: no device holds that much`);
  }
  if (role !== 'input' && overlaps(shape, strides)) {
    throw new TaskError(`${at}.strides`, `${show(strides)} let elements overlap, which an output must not`);
  }
  const { compare, tolerance } = comparison(argument, dtype, fallback);
  const align = argument.align ?? DEFAULT_ALIGN;
  if (align % sizeOf(dtype) !== 0) {
    throw new TaskError(`${at}.align`, `${align} is below the size of ${dtype}, ${sizeOf(dtype)} bytes`);
  }
  return {
    kind: 'buffer',
    name: argument.name,
    dtype,
    isConst,
    role,
    shape,
    strides,
    offset,
    span,
    align,
    fill: resolveFill(argument, role, dtype, variables, at),
    compare,
    tolerance,
  };
}

function contiguous(shape: readonly number[]): number[] {
  const strides: number[] = [];
  let stride = 1;
  for (const extent of [...shape].reverse()) {
    strides.unshift(stride);
    stride *= extent;
  }
  return strides;
}

/** True unless each extent, taken by growing stride, starts beyond what the smaller ones reach. */
function overlaps(shape: readonly number[], strides: readonly number[]): boolean {
  const order = shape.map((extent, i) => ({ extent, stride: strides[i] ?? 0 })).filter((d) => d.extent > 1);
  order.sort((a, b) => a.stride - b.stride);
  let reach = 0;
  for (const { extent, stride } of order) {
    if (stride <= reach) return true;
    reach += (extent - 1) * stride;
  }
  return false;
}

function comparison(
  argument: TaskArgument,
  dtype: Dtype,
  fallback: TaskFile['tolerance'],
): { compare: Comparer; tolerance: Tolerance } {
  const rtol = argument.rtol ?? argument.tolerance?.rtol;
  const atol = argument.atol ?? argument.tolerance?.atol;
  const own = rtol !== undefined || atol !== undefined;
  const exact: Tolerance = { rtol: 0, atol: 0 };
  // A default for all outputs is meant for floating ones: integers are exact unless their own argument says otherwise.
  const isClose = own || isFloating(dtype);
  const compare = argument.compare ?? (isClose ? 'close' : 'exact');
  if (compare === 'exact' || typeof compare === 'object') return { compare, tolerance: exact };
  if (compare !== 'close' && !isClose) return { compare, tolerance: exact };
  const general = isFloating(dtype) ? fallback : undefined;
  const floor = defaultTolerance(dtype);
  return {
    compare,
    tolerance: { rtol: rtol ?? general?.rtol ?? floor.rtol, atol: atol ?? general?.atol ?? floor.atol },
  };
}

function resolveFill(argument: TaskArgument, role: Role, dtype: Dtype, variables: Variables, at: string): Fill {
  // Outputs and workspaces are poisoned by the evaluator, whatever stands here.
  if (role === 'output' || role === 'workspace') return { kind: 'zeros' };
  const fill = argument.fill;
  const bounds = integerBounds(dtype);
  if (fill === undefined) {
    return bounds === undefined ? { kind: 'normal' } : { kind: 'integers', low: 0, high: dtype === 'bool' ? 1 : 100 };
  }
  if (typeof fill === 'string') {
    if (bounds !== undefined && (fill === 'normal' || fill === 'uniform')) {
      throw new TaskError(
        `${at}.fill`,
        `"${fill}" is for floating types, not ${dtype}: use { "integers": [low, high] }`,
      );
    }
    return { kind: fill };
  }
  if ('file' in fill) return { kind: 'file', path: fill.file };
  if ('offsets' in fill) {
    if (bounds === undefined) throw new TaskError(`${at}.fill`, `"offsets" needs an integer type, not ${dtype}`);
    return { kind: 'offsets', total: countAt(`${at}.fill.offsets`, fill.offsets, variables, 0) };
  }
  const [low, high] = fill.integers.map((e, i) => wholeAt(`${at}.fill.integers[${i}]`, e, variables));
  if (low === undefined || high === undefined || low > high) {
    throw new TaskError(`${at}.fill.integers`, `${show(fill.integers)} must hold the lowest value, then the highest`);
  }
  if (bounds !== undefined && (BigInt(low) < bounds.low || BigInt(high) > bounds.high)) {
    throw new TaskError(`${at}.fill.integers`, `[${low}, ${high}] does not fit ${dtype}`);
  }
  return { kind: 'integers', low, high };
}

function wholeAt(path: string, source: number | string, variables: Variables): number {
  const value = evaluateAt(path, source, variables);
  if (!Number.isSafeInteger(value)) throw new TaskError(path, `${show(source)} must be a whole number`);
  return value;
}

function resolveScalar(argument: TaskArgument, dtype: Dtype, variables: Variables, at: string): ResolvedArgument {
  const { name } = argument;
  const given: Value | undefined = argument.value ?? (Object.hasOwn(variables, name) ? variables[name] : undefined);
  if (given === undefined) {
    throw new TaskError(at, `"${name}" has no value: set a variable "${name}" in every scenario, or give "value"`);
  }
  return { kind: 'scalar', name, dtype, value: scalarValue(given, dtype, variables, `${at}.value`) };
}

function scalarValue(given: Value, dtype: Dtype, variables: Variables, at: string): number | bigint | boolean {
  const bounds = integerBounds(dtype);
  // Integers as text keep all their 64 bits; through an expression they would pass a double.
  if (typeof given === 'string' && /^-?\d{1,20}$/.test(given) && bounds !== undefined) {
    return toDtype(BigInt(given), dtype, at);
  }
  if (typeof given === 'string' && bounds === undefined && /^(-?inf|nan)$/.test(given)) {
    return given === 'nan' ? NaN : given === 'inf' ? Infinity : -Infinity;
  }
  const value = typeof given === 'boolean' ? Number(given) : evaluateAt(at, given, variables);
  if (bounds === undefined) return value;
  if (dtype === 'bool') return value !== 0;
  if (!Number.isSafeInteger(value)) {
    throw new TaskError(at, `${show(given)} is not a whole number, which ${dtype} needs; write large integers as text`);
  }
  return toDtype(BigInt(value), dtype, at);
}

function toDtype(value: bigint, dtype: Dtype, at: string): number | bigint | boolean {
  const bounds = integerBounds(dtype);
  if (bounds !== undefined && (value < bounds.low || value > bounds.high)) {
    throw new TaskError(at, `${value} does not fit ${dtype}: it holds ${bounds.low} to ${bounds.high}`);
  }
  if (dtype === 'bool') return value !== 0n;
  return is64Bit(dtype) ? value : Number(value);
}
