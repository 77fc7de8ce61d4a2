// Element types: CUDA's names, their aliases and sizes, and the reading of an argument's C++ type.
import { DTYPES, type Dtype, type Variables } from './types.js';

const ALIASES: Readonly<Record<string, Dtype>> = {
  float32: 'float',
  float64: 'double',
  __half: 'half',
  float16: 'half',
  fp16: 'half',
  __nv_bfloat16: '__nv_bfloat16',
  nv_bfloat16: '__nv_bfloat16',
  bfloat16: '__nv_bfloat16',
  bf16: '__nv_bfloat16',
  char: 'signed char',
  int8_t: 'signed char',
  int8: 'signed char',
  uint8_t: 'unsigned char',
  uint8: 'unsigned char',
  uchar: 'unsigned char',
  short: 'short',
  'short int': 'short',
  int16_t: 'short',
  int16: 'short',
  uint16_t: 'unsigned short',
  'unsigned short int': 'unsigned short',
  uint16: 'unsigned short',
  ushort: 'unsigned short',
  int32_t: 'int',
  int32: 'int',
  signed: 'int',
  'signed int': 'int',
  uint32_t: 'unsigned int',
  uint32: 'unsigned int',
  uint: 'unsigned int',
  unsigned: 'unsigned int',
  int64_t: 'long long',
  int64: 'long long',
  long: 'long long',
  'long int': 'long long',
  'long long int': 'long long',
  ssize_t: 'long long',
  ptrdiff_t: 'long long',
  uint64_t: 'unsigned long long',
  uint64: 'unsigned long long',
  size_t: 'unsigned long long',
  'unsigned long': 'unsigned long long',
  'unsigned long int': 'unsigned long long',
  'unsigned long long int': 'unsigned long long',
};

const SIZES: Readonly<Record<Dtype, number>> = {
  float: 4,
  double: 8,
  half: 2,
  __nv_bfloat16: 2,
  'signed char': 1,
  'unsigned char': 1,
  short: 2,
  'unsigned short': 2,
  int: 4,
  'unsigned int': 4,
  'long long': 8,
  'unsigned long long': 8,
  bool: 1,
};

/** Bytes of one element. */
export function sizeOf(dtype: Dtype): number {
  return SIZES[dtype];
}

/** True for float, double, half and bfloat16: the types that are compared with a tolerance. */
export function isFloating(dtype: Dtype): boolean {
  return dtype === 'float' || dtype === 'double' || dtype === 'half' || dtype === '__nv_bfloat16';
}

/** True for the types whose values need not fit a JSON number. */
export function is64Bit(dtype: Dtype): boolean {
  return dtype === 'long long' || dtype === 'unsigned long long';
}

/** Inclusive bounds of an integer type; undefined for floating types. */
export function integerBounds(dtype: Dtype): { low: bigint; high: bigint } | undefined {
  if (dtype === 'bool') return { low: 0n, high: 1n };
  if (isFloating(dtype)) return undefined;
  const bits = BigInt(SIZES[dtype] * 8);
  return dtype.startsWith('unsigned')
    ? { low: 0n, high: (1n << bits) - 1n }
    : { low: -(1n << (bits - 1n)), high: (1n << (bits - 1n)) - 1n };
}

/** CUDA's name for a dtype or one of its aliases (`std::` and repeated blanks are ignored); undefined if it is none. */
export function resolveDtype(name: string): Dtype | undefined {
  const plain = name
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^std::/, '');
  const known = DTYPES.find((d) => d === plain);
  return known ?? (Object.hasOwn(ALIASES, plain) ? ALIASES[plain] : undefined);
}

/** Every name `resolveDtype` accepts, for suggestions. */
export const DTYPE_NAMES: readonly string[] = [...DTYPES, ...Object.keys(ALIASES)];

/** An argument's type as written, taken apart; `base` is a dtype name or a scenario variable. */
export type WrittenType =
  { kind: 'pointer'; base: string; isConst: boolean } | { kind: 'scalar'; base: string } | { kind: 'stream' };

/**
 * Takes `const T* __restrict__` apart. Understood: one pointer level over a dtype or variable, `const` on either side,
 * `__restrict__`, scalars (a reference to const counts as one), and `cudaStream_t`.
 * Undefined for anything else (`float**`, structs with `<`, arrays).
 */
export function parseType(text: string): WrittenType | undefined {
  const words = text
    .replace(/\b(__restrict__|__restrict|restrict|volatile)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const match = /^([\w: ]+?)\s*(\*|&)?\s*(const)?$/.exec(words);
  if (!match) return undefined;
  const parts = (match[1] ?? '').split(' ').filter((w) => w !== '');
  const base = parts.filter((w) => w !== 'const').join(' ');
  const isConst = parts.includes('const');
  if (base === '' || !/^[A-Za-z_][\w: ]*$/.test(base)) return undefined;
  if (match[2] === '*') return { kind: 'pointer', base, isConst };
  if (match[2] === '&' && !isConst) return undefined;
  return base === 'cudaStream_t' || base === 'CUstream_st' ? { kind: 'stream' } : { kind: 'scalar', base };
}

/** The dtype a written base means in a scenario: a dtype name, or a variable that holds one. */
export function dtypeIn(base: string, variables: Variables): Dtype | undefined {
  const value = Object.hasOwn(variables, base) ? variables[base] : undefined;
  return typeof value === 'string' ? resolveDtype(value) : resolveDtype(base);
}
