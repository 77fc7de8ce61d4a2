// C arithmetic as it stands in sizes, indices and launch configurations, parsed from tokens. Whatever is not plain arithmetic
// gives undefined: a guess must never rest on a misreading.
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

/** Names that people give to the division that rounds up. */
export const CEIL_DIV =
  /^(ceil_?div|div_?up|div_?ceil|cdiv|ceildiv|div_?round_?up|idiv_?up|i_?div_?up|up_?div|cuda_?ceil)$/i;

/** `left + right` */
export function plus(left: Term, right: Term): Term {
  return { kind: 'binary', operator: '+', left, right };
}
