// Bounds of a term as an interval, given what its names are worth; undefined where they do not follow.
import { CEIL_DIV, type Term } from './term.js';

export interface Interval {
  low: number;
  high: number;
}

/** What the names of an expression are worth. */
export interface Surroundings {
  interval: (name: string) => Interval | undefined;
  sizeOf: (type: string) => number | undefined;
  /** Values of an integer buffer that serves as an index. */
  element?: (base: string) => Interval | undefined;
  /** An upper bound that conditions put on a term, itself excluded. */
  below?: (term: Term) => number | undefined;
  /** `CEIL(a, b)` of the file. */
  macro?: (name: string, operands: Term[]) => Term | undefined;
}

const exactly = (value: number): Interval => ({ low: value, high: value });

/** Bounds of a term's value; undefined where they do not follow. Division truncates, inside ceil and floor it does not. */
export function bound(term: Term, around: Surroundings, isReal = false): Interval | undefined {
  const found = boundUnclipped(term, around, isReal);
  const below = around.below?.(term);
  if (below === undefined) return found;
  const low = found?.low ?? 0;
  return { low, high: Math.max(low, Math.min(found?.high ?? Infinity, below - 1)) };
}

function boundUnclipped(term: Term, around: Surroundings, isReal: boolean): Interval | undefined {
  switch (term.kind) {
    case 'number':
      return exactly(term.value);
    case 'name':
      return around.interval(term.name);
    case 'sizeof': {
      const size = around.sizeOf(term.type);
      return size === undefined ? undefined : exactly(size);
    }
    case 'element':
      return around.element?.(term.base);
    case 'call':
      return boundCall(term, around, isReal);
    case 'unary': {
      const inner = bound(term.operand, around, isReal);
      if (term.operator === '!') return { low: 0, high: 1 };
      if (inner === undefined || term.operator === '~') return undefined;
      return term.operator === '-' ? { low: -inner.high, high: -inner.low } : inner;
    }
    case 'choice': {
      const condition = bound(term.condition, around);
      if (condition && condition.low === condition.high) {
        return bound(condition.low === 0 ? term.otherwise : term.then, around, isReal);
      }
      const [a, b] = [bound(term.then, around, isReal), bound(term.otherwise, around, isReal)];
      return a && b && { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
    }
    case 'binary': {
      if (term.operator === '+') return boundSum(term, around, isReal);
      const [a, b] = [bound(term.left, around, isReal), bound(term.right, around, isReal)];
      return boundBinary(term.operator, a, b, isReal);
    }
  }
}

/** The summands of a sum, for finding `x + c` inside `(r * w + x) + c`. */
function summands(term: Term): Term[] {
  if (term.kind !== 'binary' || term.operator !== '+') return [term];
  return [...summands(term.left), ...summands(term.right)];
}

/** A sum whose parts a condition bounds together is at most that bound plus the rest. */
function boundSum(term: Term, around: Surroundings, isReal: boolean): Interval | undefined {
  const parts = summands(term);
  const intervals = parts.map((p) => bound(p, around, isReal));
  const total = (list: readonly (Interval | undefined)[]): Interval | undefined =>
    list.reduce<Interval | undefined>(
      (sum, i) => (sum && i ? { low: sum.low + i.low, high: sum.high + i.high } : undefined),
      exactly(0),
    );
  let best = total(intervals);
  for (let i = 0; i < parts.length; i++) {
    for (let j = i + 1; j <= parts.length; j++) {
      if (j - i < 2 || j - i === parts.length) continue;
      const [first, ...rest] = parts.slice(i, j);
      if (first === undefined) continue;
      const group = rest.reduce<Term>((left, right) => ({ kind: 'binary', operator: '+', left, right }), first);
      const below = around.below?.(group);
      if (below === undefined) continue;
      const others = total(intervals.filter((_, at) => at < i || at >= j));
      if (!others) continue;
      const high = others.high + below - 1;
      if (best === undefined || high < best.high) best = { low: Math.min(best?.low ?? 0, high), high };
    }
  }
  return best;
}

function boundBinary(
  operator: string,
  a: Interval | undefined,
  b: Interval | undefined,
  isReal: boolean,
): Interval | undefined {
  if (/^(<|>|<=|>=|==|!=|&&|\|\|)$/.test(operator)) {
    const isKnown = a && b && a.low === a.high && b.low === b.high;
    return isKnown ? exactly(compare(operator, a.low, b.low) ? 1 : 0) : { low: 0, high: 1 };
  }
  if (operator === '%' && b && b.low > 0) {
    if (a && a.low === a.high && b.low === b.high) return exactly(a.low % b.low);
    // Not less where the left side happens to be smaller: it says what the code is for.
    return { low: 0, high: b.high - 1 };
  }
  if (operator === '&' && b && b.low >= 0)
    return { low: 0, high: Math.min(b.high, a && a.low >= 0 ? a.high : Infinity) };
  if (a === undefined || b === undefined) return undefined;
  const corners = (f: (x: number, y: number) => number): Interval => {
    const values = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)].map((v) =>
      Number.isNaN(v) ? 0 : v,
    );
    return { low: Math.min(...values), high: Math.max(...values) };
  };
  switch (operator) {
    case '-':
      return { low: a.low - b.high, high: a.high - b.low };
    case '*':
      return corners((x, y) => x * y);
    case '/':
      return b.low <= 0 ? undefined : corners((x, y) => (isReal ? x / y : Math.trunc(x / y)));
    case '<<':
      return corners((x, y) => x * 2 ** y);
    case '>>':
      return corners((x, y) => Math.floor(x / 2 ** y));
    case '|':
    case '^':
      if (a.low === a.high && b.low === b.high) return exactly(operator === '|' ? a.low | b.low : a.low ^ b.low);
      return a.low < 0 || b.low < 0 ? undefined : { low: 0, high: a.high + b.high };
    default:
      return undefined;
  }
}

function compare(operator: string, a: number, b: number): boolean {
  switch (operator) {
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<=':
      return a <= b;
    case '>=':
      return a >= b;
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '&&':
      return a !== 0 && b !== 0;
    default:
      return a !== 0 || b !== 0;
  }
}

function boundCall(term: Extract<Term, { kind: 'call' }>, around: Surroundings, isReal: boolean): Interval | undefined {
  const expanded = around.macro?.(term.name, term.operands);
  if (expanded) return bound(expanded, around, isReal);
  const isRounding = /^(ceilf?|floorf?)$/.test(term.name);
  const operands = term.operands.map((o) => bound(o, around, isReal || isRounding));
  const [a, b] = operands;
  if (/^f?(min|max)f?$/.test(term.name) && a && b) {
    const pick = term.name.includes('min') ? Math.min : Math.max;
    return { low: pick(a.low, b.low), high: pick(a.high, b.high) };
  }
  if (isRounding && a) {
    const round = term.name.startsWith('ceil') ? Math.ceil : Math.floor;
    return { low: round(a.low), high: round(a.high) };
  }
  if (CEIL_DIV.test(term.name) && a && b && b.low > 0) {
    return { low: Math.ceil(a.low / b.high), high: Math.ceil(a.high / b.low) };
  }
  return undefined;
}
