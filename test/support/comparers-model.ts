// The comparers as their documentation says them, without any thought of speed.
import type { Dtype, Tolerance } from '../../src/task/types.js';

export type Scalar = number | bigint;

/** IEEE formats by their fields: bits of exponent and fraction. */
function decode(bits: number, exponentBits: number, fractionBits: number): number {
  const sign = bits >> (exponentBits + fractionBits) ? -1 : 1;
  const exponent = (bits >> fractionBits) & (2 ** exponentBits - 1);
  const fraction = bits & (2 ** fractionBits - 1);
  const bias = 2 ** (exponentBits - 1) - 1;
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Infinity : NaN;
  const mantissa = exponent === 0 ? fraction : fraction + 2 ** fractionBits;
  return sign * mantissa * 2 ** (Math.max(exponent, 1) - bias - fractionBits);
}

/** Reads element `index` as the machine stores it. */
export function readElement(dtype: Dtype, bytes: Buffer, at: number): Scalar {
  switch (dtype) {
    case 'float':
      return bytes.readFloatLE(at);
    case 'double':
      return bytes.readDoubleLE(at);
    case 'half':
      return decode(bytes.readUInt16LE(at), 5, 10);
    case '__nv_bfloat16':
      return decode(bytes.readUInt16LE(at), 8, 7);
    case 'signed char':
      return BigInt(bytes.readInt8(at));
    case 'short':
      return BigInt(bytes.readInt16LE(at));
    case 'unsigned short':
      return BigInt(bytes.readUInt16LE(at));
    case 'int':
      return BigInt(bytes.readInt32LE(at));
    case 'unsigned int':
      return BigInt(bytes.readUInt32LE(at));
    case 'long long':
      return bytes.readBigInt64LE(at);
    case 'unsigned long long':
      return bytes.readBigUInt64LE(at);
    default:
      return BigInt(bytes.readUInt8(at));
  }
}

export function agrees(want: Scalar, got: Scalar, { rtol, atol }: Tolerance): boolean {
  if (typeof want === 'bigint' || typeof got === 'bigint') {
    const difference = BigInt(want) - BigInt(got);
    return difference === 0n || Math.abs(Number(difference)) <= atol + rtol * Math.abs(Number(want));
  }
  if (Number.isNaN(want)) return Number.isNaN(got);
  if (!Number.isFinite(want) || !Number.isFinite(got)) return want === got;
  return Math.abs(got - want) <= atol + rtol * Math.abs(want);
}

/** Elements without a partner when as many as possible are paired. */
export function unpaired(want: Scalar[], got: Scalar[], tolerance: Tolerance): number {
  const partner = new Map<number, number>();
  const place = (i: number, tried: Set<number>): boolean =>
    got.some((g, j) => {
      if (tried.has(j) || !agrees(want[i]!, g, tolerance)) return false;
      tried.add(j);
      const holder = partner.get(j);
      if (holder !== undefined && !place(holder, tried)) return false;
      partner.set(j, i);
      return true;
    });
  return want.filter((_, i) => !place(i, new Set())).length;
}

/** NaN counts as larger than everything. */
export const precedes = (a: Scalar, b: Scalar): boolean => a < b || (Number.isNaN(b) && !Number.isNaN(a));

export function outOfOrder(want: Scalar[], got: Scalar[]): boolean[] {
  const rises = want.some((w, i) => i > 0 && precedes(want[i - 1]!, w));
  const falls = want.some((w, i) => i > 0 && precedes(w, want[i - 1]!));
  return got.map((g, i) => i > 0 && (falls && !rises ? precedes(got[i - 1]!, g) : precedes(g, got[i - 1]!)));
}
