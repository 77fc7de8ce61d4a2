// Conditions of the preprocessor, as far as they can be known without one: true, false, or undefined for "cannot tell".
import { tokenize, type Token } from '../../../src/kernel/tokens.js';

/** A macro's value: a number, 'set' for one that is defined as something else, 'unset', or undefined if nobody knows. */
export type MacroValue = number | 'set' | 'unset' | undefined;

type Value = number | undefined;

/** The condition of `#if`, `#ifdef` and their like; `word` is the directive's name. */
export function evaluateCondition(
  word: string,
  condition: string,
  valueOf: (name: string) => MacroValue,
): boolean | undefined {
  const isNamed = /^(?:el)?if(n?)def$/.exec(word);
  if (isNamed) {
    const value = valueOf(/[A-Za-z_]\w*/.exec(condition)?.[0] ?? '');
    if (value === undefined) return undefined;
    return (value !== 'unset') !== (isNamed[1] === 'n');
  }
  const reader = new Reader(tokenize(condition), valueOf);
  const value = reader.or();
  return reader.isAtEnd && value !== undefined ? value !== 0 : undefined;
}

/** Recursive descent over what conditions are made of; anything else makes the whole unknown. */
class Reader {
  private at = 0;
  private isLost = false;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly valueOf: (name: string) => MacroValue,
  ) {}

  get isAtEnd(): boolean {
    return !this.isLost && this.at === this.tokens.length;
  }

  private take(text: string): boolean {
    if (this.tokens[this.at]?.text !== text) return false;
    this.at++;
    return true;
  }

  or(): Value {
    let value = this.and();
    while (this.take('||')) {
      const right = this.and();
      if (value || right) value = 1;
      else value = value === undefined || right === undefined ? undefined : 0;
    }
    return value;
  }

  private and(): Value {
    let value = this.comparison();
    while (this.take('&&')) {
      const right = this.comparison();
      if (value === 0 || right === 0) value = 0;
      else value = value === undefined || right === undefined ? undefined : 1;
    }
    return value;
  }

  private comparison(): Value {
    const left = this.unary();
    const operator = this.tokens[this.at]?.text ?? '';
    const compare = COMPARE[operator];
    if (!compare) return left;
    this.at++;
    const right = this.unary();
    return left === undefined || right === undefined ? undefined : Number(compare(left, right));
  }

  private unary(): Value {
    if (this.take('!')) {
      const value = this.unary();
      return value === undefined ? undefined : Number(value === 0);
    }
    if (this.take('(')) {
      const value = this.or();
      if (!this.take(')')) this.isLost = true;
      return value;
    }
    const token = this.tokens[this.at++];
    if (token?.kind === 'number') return Number.parseInt(token.text.replaceAll("'", ''));
    if (token?.kind !== 'name') {
      this.isLost = true;
      return undefined;
    }
    if (token.text === 'defined') {
      const isWrapped = this.take('(');
      const value = this.valueOf(this.tokens[this.at++]?.text ?? '');
      if (isWrapped && !this.take(')')) this.isLost = true;
      return value === undefined ? undefined : Number(value !== 'unset');
    }
    // A call of a function-like macro, or an operator of `has_include` kind.
    if (this.tokens[this.at]?.text === '(') this.isLost = true;
    const value = this.valueOf(token.text);
    return value === 'unset' ? 0 : value === 'set' ? undefined : value;
  }
}

const COMPARE: Readonly<Record<string, ((a: number, b: number) => boolean) | undefined>> = {
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};
