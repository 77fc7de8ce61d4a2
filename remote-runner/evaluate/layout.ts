// Where each argument lies in the segments: fenced regions, one after the other, and the slots of the call.
import { sizeOf } from '../../src/task/dtype.js';
import { type Dtype, type ResolvedArgument, type Scenario, TaskError, type Value } from '../../src/task/types.js';

/** Bytes of random pattern before and after every buffer: a write that lands there is out of bounds. */
export const FENCE = 4096;
/** Regions start at this alignment in device memory (cudaMalloc's own guarantee). */
const REGION = 512;

export type BufferArgument = Extract<ResolvedArgument, { kind: 'buffer' }>;

export interface Region {
  argument: BufferArgument;
  offset: number;
  bytes: number;
  /** From the start of the region to the pointer that is passed, bytes. */
  pointer: number;
  /** Elements from the end of the front fence to the argument's first element. */
  skip: number;
  /** Where the bytes lie that fill it, if a file does. */
  contents?: string;
}

export interface Layout {
  scenario: Scenario;
  arguments: ResolvedArgument[];
  regions: Region[];
  /** Total size of a segment that holds this scenario, bytes. */
  bytes: number;
  /** Variables that the call uses and that are not arguments, in trampoline order, as slots. */
  slots: Slot[];
}

export type Slot = { kind: 'buffer'; region: number } | { kind: 'value'; bits: bigint };

const up = (n: number, to: number): number => Math.ceil(n / to) * to;

/** The 8 bytes of a value slot as the trampoline reads them: the low bytes hold the value in its own type. */
function slotBits(dtype: Dtype, value: number | bigint | boolean): bigint {
  const view = new DataView(new ArrayBuffer(8));
  switch (dtype) {
    case 'float':
      view.setFloat32(0, Number(value), true);
      break;
    case 'double':
      view.setFloat64(0, Number(value), true);
      break;
    case 'half':
    case '__nv_bfloat16':
      // The trampoline converts: 16-bit scalars travel as float.
      view.setFloat32(0, Number(value), true);
      break;
    default:
      view.setBigInt64(0, BigInt.asIntN(64, typeof value === 'bigint' ? value : BigInt(Number(value))), true);
  }
  return view.getBigUint64(0, true);
}

/** A scenario variable as a slot: integers and flags as long long, other numbers as double. */
const variableBits = (value: Value): bigint =>
  slotBits(
    typeof value === 'number' && !Number.isInteger(value) ? 'double' : 'long long',
    typeof value === 'string' ? 0 : value,
  );

/**
 * Lays out one scenario.
 * @param variables names of scenario variables that follow the arguments as slots
 * @param launch grid, block and dynamic shared memory of a bare kernel, as further slots
 * @param memory bytes of memory this machine has
 * @param contentsOf where a file of the task lies whose bytes fill so many bytes of an argument
 */
export function layOut(
  scenario: Scenario,
  args: ResolvedArgument[],
  variables: string[],
  launch: number[],
  memory: number,
  contentsOf: (file: string, bytes: number, argument: string) => string = (file) => file,
): Layout {
  const regions: Region[] = [];
  const slots: Slot[] = [];
  let offset = 0;
  for (const argument of args) {
    if (argument.kind === 'scalar') {
      slots.push({ kind: 'value', bits: slotBits(argument.dtype, argument.value) });
      continue;
    }
    const size = sizeOf(argument.dtype);
    // The pointer passed is aligned as the task says: the element before it may not be.
    const bytes = up(argument.span * size, 8) + 2 * FENCE;
    slots.push({ kind: 'buffer', region: regions.length });
    const { fill, shape, name } = argument;
    const filled = shape.reduce((a, b) => a * b, size);
    regions.push({
      argument,
      offset,
      bytes,
      pointer: FENCE + argument.offset * size,
      skip: argument.offset,
      ...(fill.kind === 'file' ? { contents: contentsOf(fill.path, filled, name) } : {}),
    });
    offset = up(offset + bytes, Math.max(REGION, argument.align));
  }
  for (const name of variables) slots.push({ kind: 'value', bits: variableBits(scenario.variables[name] ?? 0) });
  for (const value of launch) slots.push({ kind: 'value', bits: BigInt(value) });
  // Inputs, two result segments, the kept expectation, and device memory of two workers where that is host memory too.
  if (offset * 6 > memory * 0.8)
    throw new TaskError(
      '$.scenarios',
      `scenario ${scenario.id} needs ${gib(offset * 6)} GiB while it is evaluated; this machine has ${gib(memory)} GiB. Make it smaller.`,
    );
  return { scenario, arguments: args, regions, bytes: offset, slots };
}

const gib = (bytes: number): string => (bytes / 2 ** 30).toFixed(1);
