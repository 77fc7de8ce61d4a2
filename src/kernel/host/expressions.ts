// C++ expressions of host code, from tokens. Casts keep their types: a launch is only as right as its arithmetic.
import { integerLiteral } from '../constants.js';
import { splitArguments, templateEnd, type Token } from '../tokens.js';
import { Refusal, shown } from './refusal.js';
import type { Code } from './sources.js';
import { readType, type WrittenType } from './types.js';
import { convert, DOUBLE, INT, SCALARS, truth, type Numeric } from './values.js';

export type Expression =
  | { kind: 'number'; value: Numeric }
  | { kind: 'name'; path: string[] }
  /** Arguments and template arguments stay tokens: some of them name kernels or types. */
  | { kind: 'call'; path: string[]; template?: Code[]; args: Code[]; at: Token | undefined }
  | { kind: 'cast'; type: WrittenType; operand: Expression }
  | { kind: 'construct'; type: WrittenType; args: Expression[] }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'sizeof'; type: WrittenType }
  | { kind: 'unary'; operator: string; operand: Expression }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression }
  | { kind: 'choice'; condition: Expression; then: Expression; otherwise: Expression }
  | { kind: 'member'; of: Expression; name: string }
  | { kind: 'element'; of: Expression; index: Expression };

/** What the reader of an expression must know of its surroundings. */
export interface Surroundings {
  /** Is a word a type by the templates around it? */
  isType: (name: string) => boolean;
  /** Is a word a variable here? It is none of the language's then. */
  isVariable: (name: string) => boolean;
  /** Told of every word that is taken for one of the language, the library or CUDA. @throws Refusal */
  builtin: (name: string) => void;
}

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
const MAX_DEPTH = 60;

/** @throws Refusal for what is no expression that is read here */
export function parseExpression(code: Code, around: Surroundings): Expression {
  return new ExpressionParser(code, around, 0).whole();
}

class ExpressionParser {
  private at: number;

  constructor(
    private readonly code: Code,
    private readonly around: Surroundings,
    private depth: number,
  ) {
    this.at = code.from;
  }

  whole(): Expression {
    const result = this.choice();
    if (this.at !== this.code.to) throw this.unread();
    return result;
  }

  private unread(): Refusal {
    const { tokens, from, to } = this.code;
    const text = tokens
      .slice(from, to)
      .map((t) => t.text)
      .join(' ');
    return new Refusal(`has the expression ${shown(text)}, which is not read`);
  }

  private text(offset = 0): string {
    return this.at + offset < this.code.to ? (this.code.tokens[this.at + offset]?.text ?? '') : '';
  }

  private part(from: number, to: number): Code {
    return { ...this.code, from, to };
  }

  /** The bracket at the current place and what is between it and its partner; the place moves behind it. */
  private group(): Code {
    const close = this.code.partners.get(this.at);
    if (close === undefined || close >= this.code.to) throw this.unread();
    const inside = this.part(this.at + 1, close);
    this.at = close + 1;
    return inside;
  }

  private inner(code: Code): Expression {
    if (this.depth > MAX_DEPTH) throw this.unread();
    return new ExpressionParser(code, this.around, this.depth + 1).whole();
  }

  private list(code: Code): Code[] {
    return splitArguments(code.tokens, code.partners, code.from, code.to).map((a) => this.part(a.from, a.to));
  }

  private choice(): Expression {
    if (++this.depth > MAX_DEPTH) throw this.unread();
    const condition = this.binary(0);
    let result = condition;
    if (this.text() === '?') {
      this.at++;
      const then = this.choice();
      if (this.text() !== ':') throw this.unread();
      this.at++;
      result = { kind: 'choice', condition, then, otherwise: this.choice() };
    }
    this.depth--;
    return result;
  }

  private binary(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.unary();
    let left = this.binary(level + 1);
    for (;;) {
      const [here, next] = [this.code.tokens[this.at], this.code.tokens[this.at + 1]];
      // `>` stands alone in tokens: two adjacent ones are a shift here.
      const isShift = this.text() === '>' && this.text(1) === '>' && here?.end === next?.start;
      const operator = isShift ? '>>' : this.text();
      if (!operators.includes(operator)) return left;
      this.at += isShift ? 2 : 1;
      left = { kind: 'binary', operator, left, right: this.binary(level + 1) };
    }
  }

  private unary(): Expression {
    if (++this.depth > MAX_DEPTH) throw this.unread();
    const result = this.prefixed();
    this.depth--;
    return result;
  }

  private prefixed(): Expression {
    const operator = this.text();
    if (['-', '+', '!', '~', '&', '*'].includes(operator)) {
      this.at++;
      return { kind: 'unary', operator, operand: this.unary() };
    }
    if (operator === '(') {
      const group = this.group();
      const cast = this.wholeType(group);
      if (cast) return { kind: 'cast', type: cast, operand: this.unary() };
      return this.postfix(this.inner(group));
    }
    return this.postfix(this.primary());
  }

  /** The type that a stretch of code is as a whole. */
  private wholeType(code: Code): WrittenType | undefined {
    if (this.around.isVariable(code.tokens[code.from]?.text ?? '')) return undefined;
    const read = readType(code.tokens, code.from, code.to, this.around.isType, this.around.builtin);
    return read?.next === code.to ? read.type : undefined;
  }

  private primary(): Expression {
    const token = this.code.tokens[this.at];
    if (token === undefined || this.at >= this.code.to) throw this.unread();
    if (token.kind === 'number') {
      this.at++;
      return { kind: 'number', value: literal(token.text) };
    }
    if (token.text === '{') return { kind: 'list', items: this.list(this.group()).map((a) => this.inner(a)) };
    if (token.text === 'sizeof') return this.sizeof();
    if (/^(static|reinterpret|const)_cast$/.test(token.text)) return this.namedCast();
    if (token.text === 'true' || token.text === 'false') {
      this.at++;
      return { kind: 'number', value: truth(token.text === 'true') };
    }
    if (!this.around.isVariable(token.text)) {
      const read = readType(this.code.tokens, this.at, this.code.to, this.around.isType, this.around.builtin);
      const opener = this.code.tokens[read?.next ?? 0]?.text;
      if (read && (opener === '(' || opener === '{')) {
        this.at = read.next;
        return { kind: 'construct', type: read.type, args: this.list(this.group()).map((a) => this.inner(a)) };
      }
      if (read) throw this.unread();
    }
    return this.name();
  }

  private sizeof(): Expression {
    this.at++;
    if (this.text() !== '(') throw this.unread();
    const type = this.wholeType(this.group());
    if (type === undefined) throw this.unread();
    return { kind: 'sizeof', type };
  }

  private namedCast(): Expression {
    const close = templateEnd(this.code.tokens, this.code.partners, this.at + 1, this.code.to);
    const type = close === undefined ? undefined : this.wholeType(this.part(this.at + 2, close));
    if (close === undefined || type === undefined) throw this.unread();
    this.at = close + 1;
    if (this.text() !== '(') throw this.unread();
    return { kind: 'cast', type, operand: this.inner(this.group()) };
  }

  private name(): Expression {
    const first = this.code.tokens[this.at];
    const path: string[] = [];
    if (this.text() === '::') this.at++;
    for (;;) {
      if (this.at >= this.code.to || this.code.tokens[this.at]?.kind !== 'name') throw this.unread();
      path.push(this.text());
      this.at++;
      if (this.text() !== '::') break;
      this.at++;
    }
    let template: Code[] | undefined;
    if (this.text() === '<') {
      const close = templateEnd(this.code.tokens, this.code.partners, this.at, this.code.to);
      if (close !== undefined && this.code.tokens[close + 1]?.text === '(' && close + 1 < this.code.to) {
        template = this.list(this.part(this.at + 1, close));
        this.at = close + 1;
      }
    }
    if (this.text() !== '(') return { kind: 'name', path };
    return { kind: 'call', path, ...(template && { template }), args: this.list(this.group()), at: first };
  }

  private postfix(start: Expression): Expression {
    let result = start;
    for (;;) {
      if (this.text() === '.' && this.code.tokens[this.at + 1]?.kind === 'name') {
        result = { kind: 'member', of: result, name: this.text(1) };
        this.at += 2;
      } else if (this.text() === '[') result = { kind: 'element', of: result, index: this.inner(this.group()) };
      else return result;
    }
  }
}

/** @throws Refusal for what is neither an integer nor a decimal fraction */
function literal(text: string): Numeric {
  const whole = integerLiteral(text);
  if (whole !== undefined) {
    const suffix = /[uUlL]+$/.exec(text)?.[0].toLowerCase() ?? '';
    const isDecimal = !/^0[xXbB\d]/.test(text);
    const unsigned = suffix.includes('u');
    // The first type of these that holds it; hexadecimal ones may also be unsigned.
    const types = ['int', 'unsigned int', 'long', 'unsigned long', 'long long', 'unsigned long long'].filter((name) => {
      const isUnsigned = name.startsWith('unsigned');
      if (unsigned ? !isUnsigned : isUnsigned && isDecimal) return false;
      return suffix.includes('ll') ? name.endsWith('long long') : !suffix.includes('l') || name.endsWith('long');
    });
    for (const name of types) {
      const type = SCALARS.get(name);
      if (type && convert(BigInt(whole), type).value === BigInt(whole)) return convert(BigInt(whole), type);
    }
    return convert(BigInt(whole), INT);
  }
  if (!/^(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?[fF]?$/.test(text))
    throw new Refusal(`has the number ${shown(text)}, which is not read`);
  const value = Number(text.replace(/[fF]$/, ''));
  if (!/[fF]$/.test(text)) return convert(value, DOUBLE);
  // Through a double, the last digit could be rounded twice.
  const float = Math.fround(value);
  if (text.length > 12) throw new Refusal(`has the number ${shown(text)}, which is not read`);
  return convert(float, SCALARS.get('float') ?? DOUBLE);
}
