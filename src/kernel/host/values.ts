// Values of C++ expressions in host code, with their types: integers of a width, float and double, pointers into the arguments.
// What is undefined or not the same on every machine is refused.
import { Refusal } from './refusal.js';

export type Scalar =
  { kind: 'int'; name: string; bits: number; signed: boolean } | { kind: 'real'; name: 'float' | 'double' };

export type Value =
  | { kind: 'number'; type: Scalar; value: bigint | number }
  /** `argument` counts the buffers of the call from 0; undefined for a null pointer. `to` is the type pointed to. */
  | { kind: 'pointer'; argument: number | undefined; offset: bigint; to: string }
  | { kind: 'dim3'; axes: [number, number, number] }
  | { kind: 'stream' }
  /** `{a, b}`, and what a declaration without a value holds. */
  | { kind: 'list'; values: Value[] }
  /** A struct of the runtime's launch interface, by field. */
  | { kind: 'record'; fields: Map<string, Value> };

export type Numeric = Extract<Value, { kind: 'number' }>;
export type Pointer = Extract<Value, { kind: 'pointer' }>;

const int = (name: string, bits: number, signed = true): Scalar => ({ kind: 'int', name, bits, signed });
export const INT = int('int', 32);
export const BOOL = int('bool', 1, false);
export const SIZE = int('unsigned long', 64, false);
export const DOUBLE: Scalar = { kind: 'real', name: 'double' };
const FLOAT: Scalar = { kind: 'real', name: 'float' };

/** Arithmetic types by the name that C++ gives them where long has 64 bits. */
export const SCALARS: ReadonlyMap<string, Scalar> = new Map(
  [
    BOOL,
    ...[int('char', 8), int('signed char', 8), int('unsigned char', 8, false)],
    ...[int('short', 16), int('unsigned short', 16, false), INT, int('unsigned int', 32, false)],
    ...[int('long', 64), SIZE, int('long long', 64), int('unsigned long long', 64, false)],
    ...[FLOAT, DOUBLE],
  ].map((type) => [type.name, type]),
);

/** Bytes of a scalar. */
export const bytesOf = (type: Scalar): number =>
  type.kind === 'int' ? Math.ceil(type.bits / 8) : type.name === 'float' ? 4 : 8;

export const truth = (value: boolean): Numeric => ({ kind: 'number', type: BOOL, value: value ? 1n : 0n });
export const integer = (value: number | bigint, type: Scalar = INT): Numeric => convert(BigInt(value), type);

/** A bit pattern of that many bits as a value of its type. */
const wrapped = (value: bigint, { bits, signed }: { bits: number; signed: boolean }): bigint =>
  signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);

/** A number as it is in another type, by C++'s conversions. @throws Refusal where they are undefined */
export function convert(value: bigint | number, type: Scalar): Numeric {
  if (type.kind === 'real') {
    const real = Number(value);
    return { kind: 'number', type, value: type.name === 'float' ? Math.fround(real) : real };
  }
  if (type.name === 'bool') return truth(typeof value === 'bigint' ? value !== 0n : value !== 0);
  if (typeof value === 'bigint') return { kind: 'number', type, value: wrapped(value, type) };
  if (!Number.isFinite(value)) throw new Refusal('converts a number that is not finite to an integer');
  const whole = BigInt(Math.trunc(value));
  if (wrapped(whole, type) !== whole) throw new Refusal(`converts ${value} to ${type.name}, which cannot hold it`);
  return { kind: 'number', type, value: whole };
}

/** Integers narrower than int are int in arithmetic. */
function promoted({ type, value }: Numeric): Numeric {
  return type.kind === 'int' && type.bits < 32 ? convert(value, INT) : { kind: 'number', type, value };
}

/** Both operands in their common type (C++'s usual arithmetic conversions). */
export function common(left: Numeric, right: Numeric): { type: Scalar; left: Numeric; right: Numeric } {
  const [a, b] = [promoted(left), promoted(right)];
  const type = commonType(a.type, b.type);
  return { type, left: convert(a.value, type), right: convert(b.value, type) };
}

function commonType(a: Scalar, b: Scalar): Scalar {
  if (a.kind === 'real' || b.kind === 'real') {
    return [a, b].some((t) => t.kind === 'real' && t.name === 'double') ? DOUBLE : FLOAT;
  }
  // By rank: long and long long have the same width and are different types.
  const rank = (name: string): number => (name.endsWith('long long') ? 2 : name.endsWith('long') ? 1 : 0);
  const [low, high] = rank(a.name) <= rank(b.name) ? [a, b] : [b, a];
  if (rank(low.name) === rank(high.name)) return low.signed ? high : low;
  if (low.signed || !high.signed || low.bits < high.bits) return high;
  return SCALARS.get(`unsigned ${high.name}`) ?? high;
}

export function unary(operator: string, operand: Numeric): Numeric {
  if (operator === '!') return truth(!isTrue(operand));
  const { type, value } = promoted(operand);
  if (operator === '+') return { kind: 'number', type, value };
  if (operator === '-') return typeof value === 'number' ? convert(-value, type) : exact(0n - value, type);
  if (operator === '~' && typeof value === 'bigint') return convert(~value, type);
  throw new Refusal(`applies ${operator} to a ${type.name}`);
}

export const isTrue = ({ value }: Numeric): boolean => (typeof value === 'bigint' ? value !== 0n : value !== 0);

/** A result of integer arithmetic: unsigned wraps around, signed must fit. */
function exact(value: bigint, type: Scalar): Numeric {
  if (type.kind !== 'int') throw new Refusal('mixes integers and reals');
  const result = wrapped(value, type);
  if (type.signed && result !== value) throw new Refusal(`overflows ${type.name}`);
  return { kind: 'number', type, value: result };
}

const COMPARE: Readonly<Record<string, (a: bigint | number, b: bigint | number) => boolean>> = {
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  // Both have the same type here.
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

/** All operators but && and ||, which need not look at their right side. @throws Refusal where C++ leaves the result open */
export function binary(operator: string, first: Numeric, second: Numeric): Numeric {
  if (operator === '<<' || operator === '>>') return shifted(operator, promoted(first), promoted(second));
  const { type, left, right } = common(first, second);
  const compare = COMPARE[operator];
  if (compare) return truth(compare(left.value, right.value));
  const [a, b] = [left.value, right.value];
  if (typeof a === 'number' || typeof b === 'number') return real(operator, Number(a), Number(b), type);
  if ((operator === '/' || operator === '%') && b === 0n) throw new Refusal('divides by zero');
  switch (operator) {
    case '+':
      return exact(a + b, type);
    case '-':
      return exact(a - b, type);
    case '*':
      return exact(a * b, type);
    case '/':
      return exact(a / b, type);
    case '%':
      return exact(a % b, type);
    case '&':
      return exact(a & b, type);
    case '|':
      return exact(a | b, type);
    case '^':
      return exact(a ^ b, type);
  }
  throw new Refusal(`uses the operator ${operator}`);
}

/** One rounding of a double result to float is right for these four: a double has more than twice the digits. */
function real(operator: string, a: number, b: number, type: Scalar): Numeric {
  switch (operator) {
    case '+':
      return convert(a + b, type);
    case '-':
      return convert(a - b, type);
    case '*':
      return convert(a * b, type);
    case '/':
      return convert(a / b, type);
  }
  throw new Refusal(`applies ${operator} to a ${type.name}`);
}

function shifted(operator: string, left: Numeric, right: Numeric): Numeric {
  const { type, value } = left;
  const by = right.value;
  if (type.kind !== 'int' || typeof value !== 'bigint' || typeof by !== 'bigint') throw new Refusal('shifts a real');
  if (by < 0n || by >= BigInt(type.bits)) throw new Refusal(`shifts by ${by}`);
  if (value < 0n) throw new Refusal('shifts a negative number');
  return operator === '<<' ? exact(value << by, type) : convert(value >> by, type);
}

/** The little-endian bits of a number as it is passed to a kernel. */
export function bitsOf({ type, value }: Numeric): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (type.kind === 'int')
    view.setBigUint64(0, BigInt.asUintN(type.name === 'bool' ? 8 : type.bits, BigInt(value)), true);
  else if (type.name === 'float') view.setFloat32(0, Number(value), true);
  else view.setFloat64(0, Number(value), true);
  return view.getBigUint64(0, true);
}
