// Types as they are written in host code: which words they are made of, and how large what they name is.
import type { Token } from '../tokens.js';
import { Refusal, shown } from './refusal.js';
import { bytesOf, SCALARS } from './values.js';

export interface WrittenType {
  /** By C++'s own name: `unsigned int`, `__half`, `float4`, or the name of a template parameter. */
  base: string;
  pointers: number;
  isReference: boolean;
  isConst: boolean;
}

const ALIASES: Readonly<Record<string, string>> = {
  int8_t: 'signed char',
  uint8_t: 'unsigned char',
  uchar: 'unsigned char',
  int16_t: 'short',
  uint16_t: 'unsigned short',
  ushort: 'unsigned short',
  int32_t: 'int',
  uint32_t: 'unsigned int',
  uint: 'unsigned int',
  int64_t: 'long',
  uint64_t: 'unsigned long',
  size_t: 'unsigned long',
  ssize_t: 'long',
  ptrdiff_t: 'long',
  half: '__half',
  half2: '__half2',
  nv_bfloat16: '__nv_bfloat16',
  nv_bfloat162: '__nv_bfloat162',
};

/** Bytes of the vector types of CUDA, and of the small floats. */
const SIZES = new Map<string, number>([
  ...[...SCALARS].map(([name, type]): [string, number] => [name, bytesOf(type)]),
  ...[
    ['char', 1],
    ['uchar', 1],
    ['short', 2],
    ['ushort', 2],
    ['int', 4],
    ['uint', 4],
    ['float', 4],
    ['longlong', 8],
    ['ulonglong', 8],
    ['double', 8],
  ].flatMap(([name, size]) => [1, 2, 3, 4].map((n): [string, number] => [`${name}${n}`, n * Number(size)])),
  ['__half', 2],
  ['__nv_bfloat16', 2],
  ['__half2', 4],
  ['__nv_bfloat162', 4],
]);

const OTHERS = ['void', 'auto', 'dim3', 'cudaStream_t', 'cudaError_t', 'cudaLaunchConfig_t', 'cudaLaunchAttribute'];
const SPECIFIERS = new Set(['unsigned', 'signed', 'short', 'long', 'int', 'char', 'float', 'double', 'bool']);
const QUALIFIERS = new Set([
  'const',
  'constexpr',
  'volatile',
  'inline',
  '__restrict__',
  '__restrict',
  'restrict',
  'typename',
  '__grid_constant__',
]);

/** One word that names a whole type. */
const isTypeName = (word: string): boolean => SIZES.has(word) || Object.hasOwn(ALIASES, word) || OTHERS.includes(word);

/** C++'s name for what one word or several name. */
const canonical = (name: string): string => (Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name);

/** Bytes of what a type names. @throws Refusal where that is not known */
export function sizeOf(type: { base: string; pointers: number }): number {
  const size = type.pointers > 0 ? 8 : SIZES.get(type.base);
  if (size === undefined) throw new Refusal(`depends on the size of ${shown(type.base)}`);
  return size;
}

/** `unsigned long long int` and its like in C++'s own order; undefined where the words are no type. */
function fundamental(words: readonly string[]): string | undefined {
  const has = (word: string): boolean => words.includes(word);
  const longs = words.filter((w) => w === 'long').length;
  const sign = has('unsigned') ? 'unsigned ' : '';
  if (has('float')) return words.length === 1 ? 'float' : undefined;
  if (has('double')) return words.length === 1 ? 'double' : undefined;
  if (has('bool')) return words.length === 1 ? 'bool' : undefined;
  if (has('char')) return words.length > 2 ? undefined : has('signed') ? 'signed char' : `${sign}char`;
  if (has('short')) return longs > 0 ? undefined : `${sign}short`;
  if (longs > 2) return undefined;
  return sign + (longs === 2 ? 'long long' : longs === 1 ? 'long' : 'int');
}

/**
 * Reads a type that starts at a token.
 * @param isParameter whether a word is a type by the templates around it
 * @param known is told of every word that is taken for a type of the language or of CUDA
 * @returns with the index behind it; undefined where no type starts
 */
export function readType(
  tokens: readonly Token[],
  at: number,
  to: number,
  isParameter: (name: string) => boolean,
  known: (name: string) => void,
): { type: WrittenType; next: number } | undefined {
  const text = (i: number): string => (i < to ? (tokens[i]?.text ?? '') : '');
  let i = at;
  let isConst = false;
  const skipQualifiers = (): void => {
    for (; QUALIFIERS.has(text(i)); i++) isConst ||= text(i) === 'const' || text(i) === 'constexpr';
  };
  skipQualifiers();
  if (text(i) === 'std' && text(i + 1) === '::') i += 2;
  else if (text(i) === '::') i++;
  const words: string[] = [];
  for (; SPECIFIERS.has(text(i)) || QUALIFIERS.has(text(i)); i++) {
    if (SPECIFIERS.has(text(i))) words.push(text(i));
    else isConst ||= text(i) === 'const';
  }
  let base: string | undefined;
  if (words.length > 0) base = fundamental(words);
  else if (isParameter(text(i))) base = text(i++);
  else if (isTypeName(text(i))) {
    known(text(i));
    base = canonical(text(i++));
  }
  if (base === undefined) return undefined;
  skipQualifiers();
  let pointers = 0;
  for (; text(i) === '*'; skipQualifiers()) {
    pointers++;
    i++;
  }
  const isReference = text(i) === '&';
  if (isReference) i++;
  return { type: { base, pointers, isReference, isConst }, next: i };
}
