// C arithmetic as it stands in sizes, indices and launch configurations: parsed from tokens, bounded by intervals. Whatever is
// not plain arithmetic gives undefined: a guess must never rest on a misreading.
import { integerLiteral } from './constants.js';
import { splitArguments, templateEnd, type Token } from './tokens.js';

export type Term =
  /** `isReal`: written as `3.0f`, so that division by and of it is exact. */
  | { kind: 'number'; value: number; isReal?: boolean }
  /** `n`, `threadIdx.x`, `p->rows` */
  | { kind: 'name'; name: string }
  | { kind: 'sizeof'; type: string }
  | { kind: 'call'; name: string; operands: Term[] }
  /** A value read from memory. */
  | { kind: 'element'; base: string; index: Term }
  | { kind: 'unary'; operator: string; operand: Term }
  | { kind: 'binary'; operator: string; left: Term; right: Term }
  | { kind: 'choice'; condition: Term; then: Term; otherwise: Term };

const LEVELS = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];
const TYPE_WORD =
  /^(const|unsigned|signed|int|long|short|char|bool|float|double|size_t|std|u?int(8|16|32|64)_t|uint|half|__half|auto)$/;
const MAX_DEPTH = 100;

/** Parses tokens `from` to before `to` as one arithmetic expression. */
export function parseTerm(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  from: number,
  to: number,
): Term | undefined {
  const parser = new TermParser(tokens, partners, from, to);
  const term = parser.choice();
  return term !== undefined && parser.at === to ? term : undefined;
}

class TermParser {
  private depth = 0;
  constructor(
    private readonly tokens: readonly Token[],
    private readonly partners: ReadonlyMap<number, number>,
    public at: number,
    private readonly to: number,
  ) {}

  private text(offset = 0): string {
    return this.at + offset < this.to ? (this.tokens[this.at + offset]?.text ?? '') : '';
  }

  choice(): Term | undefined {
    if (++this.depth > MAX_DEPTH) return undefined;
    const condition = this.binary(0);
    this.depth--;
    if (condition === undefined || this.text() !== '?') return condition;
    this.at++;
    const then = this.choice();
    if (then === undefined || this.text() !== ':') return undefined;
    this.at++;
    const otherwise = this.choice();
    return otherwise && { kind: 'choice', condition, then, otherwise };
  }

  private binary(level: number): Term | undefined {
    const operators = LEVELS[level];
    if (operators === undefined) return this.unary();
    let left = this.binary(level + 1);
    for (;;) {
      // `>` stands alone in tokens: two adjacent ones are a shift here.
      const isShift = this.text() === '>' && this.text(1) === '>';
      const operator = isShift ? '>>' : this.text();
      if (left === undefined || !operators.includes(operator)) return left;
      this.at += isShift ? 2 : 1;
      const right = this.binary(level + 1);
      left = right && { kind: 'binary', operator, left, right };
    }
  }

  private unary(): Term | undefined {
    const operator = this.text();
    if (['-', '+', '!', '~'].includes(operator)) {
      this.at++;
      if (++this.depth > MAX_DEPTH) return undefined;
      const operand = this.unary();
      this.depth--;
      return operand && { kind: 'unary', operator, operand };
    }
    if (operator === '(') {
      const close = this.partners.get(this.at);
      if (close === undefined || close >= this.to) return undefined;
      const inside = this.tokens.slice(this.at + 1, close);
      if (inside.length > 0 && inside.every((t) => TYPE_WORD.test(t.text) || t.text === '::')) {
        this.at = close + 1;
        return this.unary();
      }
      const inner = parseTerm(this.tokens, this.partners, this.at + 1, close);
      this.at = close + 1;
      return inner;
    }
    return this.primary();
  }

  private primary(): Term | undefined {
    const token = this.tokens[this.at];
    if (token === undefined || this.at >= this.to) return undefined;
    this.at++;
    if (token.kind === 'number') {
      const value = integerLiteral(token.text) ?? Number(token.text.replace(/[fFlL]$/, ''));
      const isReal = /^[\d.]+([eE][-+]?\d+)?[fFlL]?$/.test(token.text) && /[.eEfF]/.test(token.text);
      return Number.isFinite(value) ? { kind: 'number', value, ...(isReal ? { isReal } : {}) } : undefined;
    }
    if (token.kind === 'string' && /^'[^\\]'$/.test(token.text)) {
      return { kind: 'number', value: token.text.charCodeAt(1) };
    }
    if (token.kind !== 'name') return undefined;
    if (token.text === 'sizeof' && this.text() === '(') {
      const close = this.partners.get(this.at) ?? this.to;
      const type = this.tokens
        .slice(this.at + 1, close)
        .map((t) => t.text)
        .join(' ');
      this.at = close + 1;
      return { kind: 'sizeof', type };
    }
    return this.postfix(token.text);
  }

  private postfix(name: string): Term | undefined {
    let full = name;
    while (['::', '.', '->'].includes(this.text()) && this.tokens[this.at + 1]?.kind === 'name') {
      full = this.text() === '::' ? this.text(1) : `${full}.${this.text(1)}`;
      this.at += 2;
    }
    if (this.text() === '<') {
      const close = templateEnd(this.tokens, this.partners, this.at, this.to);
      if (close !== undefined && this.tokens[close + 1]?.text === '(') this.at = close + 1;
    }
    const close = this.partners.get(this.at);
    if (this.text() === '(' && close !== undefined) {
      const operands = this.list(this.at + 1, close);
      this.at = close + 1;
      if (operands === undefined) return undefined;
      const [only] = operands;
      const isCast = TYPE_WORD.test(full) || /^(static_cast|reinterpret_cast|__ldg)$/.test(full);
      return isCast && operands.length === 1 && only ? only : { kind: 'call', name: full, operands };
    }
    if (this.text() === '[' && close !== undefined) {
      const index = parseTerm(this.tokens, this.partners, this.at + 1, close);
      this.at = close + 1;
      if (this.text() === '[' || index === undefined) return undefined;
      return { kind: 'element', base: full, index };
    }
    return { kind: 'name', name: full };
  }

  private list(from: number, to: number): Term[] | undefined {
    const terms = splitArguments(this.tokens, this.partners, from, to).map((a) =>
      parseTerm(this.tokens, this.partners, a.from, a.to),
    );
    return terms.every((t) => t !== undefined) ? terms : undefined;
  }
}

/** One spelling per term: what two equal expressions share. */
export function spell(term: Term): string {
  switch (term.kind) {
    case 'number':
      return String(term.value);
    case 'name':
      return term.name;
    case 'sizeof':
      return `sizeof(${term.type})`;
    case 'call':
      return `${term.name}(${term.operands.map(spell).join(',')})`;
    case 'element':
      return `${term.base}[${spell(term.index)}]`;
    case 'unary':
      return `${term.operator}${spell(term.operand)}`;
    case 'binary':
      return `(${spell(term.left)}${term.operator}${spell(term.right)})`;
    case 'choice':
      return `(${spell(term.condition)}?${spell(term.then)}:${spell(term.otherwise)})`;
  }
}

/** The summands of a sum, for finding `x + c` inside `(r * w + x) + c`. */
export function summands(term: Term): Term[] {
  if (term.kind !== 'binary' || term.operator !== '+') return [term];
  return [...summands(term.left), ...summands(term.right)];
}

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

/** Names that people give to the division that rounds up. */
export const CEIL_DIV =
  /^(ceil_?div|div_?up|div_?ceil|cdiv|ceildiv|div_?round_?up|idiv_?up|i_?div_?up|up_?div|cuda_?ceil)$/i;

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
