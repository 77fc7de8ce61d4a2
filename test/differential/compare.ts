// How far two numbers are apart, and whether results agree as a kernel states.
import type { Dtype } from '../../src/task/types.js';
import { isFloating, sizeOf } from '../../src/task/dtype.js';
import type { Agreement } from './kernels.js';

export interface Difference {
  /** Elements that do not agree. */
  wrong: number;
  /** Largest distance of those that are finite on both sides: in units in the last place, and relative. */
  ulp: number;
  relative: number;
  /** The first that does not agree. */
  first?: { index: number; expected: string; got: string };
}

/** Element `i` as a number, and its bits as an integer that grows with it: neighbours differ by one. */
function read(bytes: Buffer, dtype: Dtype, i: number): { value: number; order: bigint; bits: string } {
  const size = sizeOf(dtype);
  const view = new DataView(bytes.buffer, bytes.byteOffset + i * size, size);
  const raw =
    size === 8
      ? view.getBigUint64(0, true)
      : BigInt(size === 4 ? view.getUint32(0, true) : size === 2 ? view.getUint16(0, true) : view.getUint8(0));
  const sign = 1n << BigInt(size * 8 - 1);
  const order = raw & sign ? -(raw & (sign - 1n)) : raw;
  const bits = `0x${raw.toString(16).padStart(size * 2, '0')}`;
  switch (dtype) {
    case 'float':
      return { value: view.getFloat32(0, true), order, bits };
    case 'double':
      return { value: view.getFloat64(0, true), order, bits };
    case 'half':
      return { value: fromHalf(Number(raw)), order, bits };
    case '__nv_bfloat16': {
      const wide = new DataView(new ArrayBuffer(4));
      wide.setUint32(0, Number(raw) << 16);
      return { value: wide.getFloat32(0), order, bits };
    }
    default:
      return { value: Number(raw), order: raw, bits };
  }
}

function fromHalf(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const magnitude =
    exponent === 31
      ? fraction
        ? NaN
        : Infinity
      : exponent
        ? (1 + fraction / 1024) * 2 ** (exponent - 15)
        : fraction * 2 ** -24;
  return bits & 0x8000 ? -magnitude : magnitude;
}

/** @param indices elements of `expected`, which holds only those, in this order; all of `got` by default */
export function difference(
  dtype: Dtype,
  agreement: Agreement,
  expected: Buffer,
  got: Buffer,
  indices?: readonly number[],
): Difference {
  const result: Difference = { wrong: 0, ulp: 0, relative: 0 };
  const count = indices?.length ?? expected.length / sizeOf(dtype);
  for (let k = 0; k < count; k++) {
    const index = indices?.[k] ?? k;
    const a = read(expected, dtype, k);
    const b = read(got, dtype, index);
    if (isFloating(dtype) && Number.isFinite(a.value) && Number.isFinite(b.value)) {
      result.ulp = Math.max(result.ulp, Number(a.order > b.order ? a.order - b.order : b.order - a.order));
      if (a.value !== 0) result.relative = Math.max(result.relative, Math.abs((b.value - a.value) / a.value));
    }
    if (agree(agreement, a, b)) continue;
    result.wrong++;
    result.first ??= { index, expected: `${a.value} (${a.bits})`, got: `${b.value} (${b.bits})` };
  }
  return result;
}

function agree(
  agreement: Agreement,
  a: { value: number; order: bigint; bits: string },
  b: { value: number; order: bigint; bits: string },
): boolean {
  if (a.bits === b.bits) return true;
  if (Number.isNaN(a.value) || Number.isNaN(b.value))
    return agreement.kind !== 'exact' && Number.isNaN(a.value) && Number.isNaN(b.value);
  switch (agreement.kind) {
    case 'exact':
      return false;
    case 'ulp': {
      const apart = a.order - b.order;
      return apart <= BigInt(agreement.most) && -apart <= BigInt(agreement.most);
    }
    case 'close':
      return Math.abs(a.value - b.value) <= agreement.atol + agreement.rtol * Math.abs(a.value);
  }
}
