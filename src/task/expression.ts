// Arithmetic over scenario variables, parsed by recursive descent: a tree, never code.
import { nearest } from './message.js';

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=' | '==' | '!=' | '&&' | '||';

export type Expression =
  | { kind: 'number'; value: number; integer: boolean }
  | { kind: 'text'; value: string }
  | { kind: 'name'; name: string; column: number }
  | { kind: 'unary'; operator: '-' | '+' | '!'; operand: Expression; column: number }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression; column: number }
  | { kind: 'choice'; condition: Expression; then: Expression; otherwise: Expression }
  | { kind: 'call'; name: FunctionName; operands: Expression[]; column: number };

const FUNCTIONS = { min: [1, 16], max: [1, 16], ceil_div: [2, 2], pow: [2, 2] } as const;
export type FunctionName = keyof typeof FUNCTIONS;

const MAX_LENGTH = 1024;
/** Nesting beyond this is refused, so that hostile input cannot exhaust the stack. */
const MAX_DEPTH = 64;

/** What is wrong with an expression, where (1-based column), and what to write instead. */
export class ExpressionError extends Error {
  constructor(
    readonly column: number,
    message: string,
  ) {
    super(`column ${column}: ${message}`);
    this.name = 'ExpressionError';
  }
}

interface Token {
  text: string;
  column: number;
  kind: 'number' | 'name' | 'text' | 'operator' | 'end';
}

const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/', '%'],
];

const TOKEN =
  /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|("[^"]*"|'[^']*')|(<=|>=|==|!=|&&|\|\||[-+*/%<>!?:(),]))/y;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw unexpectedCharacter(text, from);
    const body = match[0].trimStart();
    const column = TOKEN.lastIndex - body.length + 1;
    const kind =
      match[1] !== undefined
        ? 'number'
        : match[2] !== undefined
          ? 'name'
          : match[3] !== undefined
            ? 'text'
            : 'operator';
    tokens.push({ text: body, column, kind });
  }
  tokens.push({ text: '', column: end + 1, kind: 'end' });
  return tokens;
}

function unexpectedCharacter(text: string, from: number): ExpressionError {
  const at = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);
  const remedies: Record<string, string> = {
    '&': 'write && for "and"',
    '|': 'write || for "or"',
    '=': 'write == to compare',
    '^': 'write pow(a, b)',
  };
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const remedy = remedies[character] ?? 'use + - * / % < <= > >= == != && || ! ?: and min, max, ceil_div, pow';
  return new ExpressionError(at + 1, `unexpected ${JSON.stringify(character)}: ${remedy}`);
}

class ExpressionParser {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Expression {
    const result = this.choice();
    const rest = this.peek();
    if (rest.kind !== 'end') {
      const remedy = rest.text === ')' ? 'there is no "(" for it' : 'an operator is missing before it';
      throw new ExpressionError(rest.column, `unexpected ${JSON.stringify(rest.text)}: ${remedy}`);
    }
    return result;
  }

  private peek(): Token {
    return this.tokens[this.at] ?? { text: '', column: 1, kind: 'end' };
  }

  private take(text: string): boolean {
    const token = this.peek();
    if (token.kind !== 'operator' || token.text !== text) return false;
    this.at++;
    return true;
  }

  private expect(text: string, why: string): void {
    const token = this.peek();
    if (!this.take(text)) throw new ExpressionError(token.column, `"${text}" is missing ${why}`);
  }

  private choice(): Expression {
    if (++this.depth > MAX_DEPTH) {
      throw new ExpressionError(this.peek().column, `nested deeper than ${MAX_DEPTH}: split the expression`);
    }
    const condition = this.binary(0);
    let result = condition;
    if (this.take('?')) {
      const then = this.choice();
      this.expect(':', 'after the first branch of "?"');
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
      const token = this.peek();
      const operator = token.kind === 'operator' ? operators.find((o) => o === token.text) : undefined;
      if (operator === undefined) return left;
      this.at++;
      left = { kind: 'binary', operator, left, right: this.binary(level + 1), column: token.column };
    }
  }

  private unary(): Expression {
    const { column } = this.peek();
    for (const operator of ['-', '+', '!'] as const) {
      if (!this.take(operator)) continue;
      if (++this.depth > MAX_DEPTH) {
        throw new ExpressionError(column, `nested deeper than ${MAX_DEPTH}: split the expression`);
      }
      const operand = this.unary();
      this.depth--;
      return { kind: 'unary', operator, operand, column };
    }
    return this.primary();
  }

  private primary(): Expression {
    const token = this.peek();
    if (this.take('(')) {
      const inner = this.choice();
      this.expect(')', `for the "(" in column ${token.column}`);
      return inner;
    }
    this.at++;
    if (token.kind === 'number') {
      return { kind: 'number', value: Number(token.text), integer: /^\d+$/.test(token.text) };
    }
    if (token.kind === 'text') return { kind: 'text', value: token.text.slice(1, -1) };
    if (token.kind !== 'name') {
      const what = token.kind === 'end' ? 'the expression ends' : `unexpected ${JSON.stringify(token.text)}`;
      throw new ExpressionError(token.column, `${what} where a number, a variable or "(" is needed`);
    }
    if (token.text === 'true' || token.text === 'false') {
      return { kind: 'number', value: token.text === 'true' ? 1 : 0, integer: true };
    }
    return this.take('(') ? this.call(token) : { kind: 'name', name: token.text, column: token.column };
  }

  private call({ text, column }: Token): Expression {
    if (!isFunction(text)) {
      const known = Object.keys(FUNCTIONS);
      const near = nearest(text, known);
      const remedy = near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"?`;
      throw new ExpressionError(column, `unknown function "${text}": ${remedy}`);
    }
    const operands: Expression[] = [];
    if (!this.take(')')) {
      do operands.push(this.choice());
      while (this.take(','));
      this.expect(')', `after the arguments of "${text}"`);
    }
    const [least, most] = FUNCTIONS[text];
    if (operands.length < least || operands.length > most) {
      const wanted = least === most ? `${least} arguments` : `${least} to ${most} arguments`;
      throw new ExpressionError(column, `"${text}" takes ${wanted}, ${operands.length} given`);
    }
    return { kind: 'call', name: text, operands, column };
  }
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name);
}

/** Parses an expression. @throws ExpressionError */
export function parseExpression(text: string): Expression {
  if (text.length > MAX_LENGTH) throw new ExpressionError(MAX_LENGTH + 1, `longer than ${MAX_LENGTH} characters`);
  return new ExpressionParser(tokenize(text)).whole();
}
