// Expressions: C's integer arithmetic, good errors, and no input that brings the parser down.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExpressionError, parseExpression } from './expression.js';
import { evaluate } from './expression-value.js';

const at = (text: string, variables = {}) => evaluate(parseExpression(text), variables);
const errorOf = (text: string, variables = {}): string => {
  try {
    at(text, variables);
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
  return 'no error';
};

describe('evaluate', () => {
  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['7 / 2', 3],
    ['-7 / 2', -3],
    ['7.0 / 2', 3.5],
    ['-7 % 3', -1],
    ['7 % -3', 1],
    ['1.5e1', 15],
    ['.5 * 4', 2],
    ['ceil_div(1000, 128)', 8],
    ['min(3, 1, 2) + max(3, 7)', 8],
    ['pow(2, 10)', 1024],
    ['1 < 2', 1],
    ['2 <= 1 || 3 != 3', 0],
    ['1 && !0', 1],
    ['1 ? 2 : 0 ? 3 : 4', 2],
    ['0 ? 2 : 0 ? 3 : 4', 4],
    ['- - 3', 3],
    ['!(1 == 1)', 0],
    ['1 + 2 < 4 && 5 > 4', 1],
    ['0 && 1 / 0', 0],
    ['1 || 1 / 0', 1],
  ])('%s is %d', (text, value) => {
    expect(at(text)).toBe(value);
  });

  it('reads variables, flags and dtypes', () => {
    const variables = { n: 1000, causal: true, T: 'half', x: 0.5 };
    expect(at('n / 3 * 2', variables)).toBe(666);
    expect(at('causal ? n : 0', variables)).toBe(1000);
    expect(at('T == "half" ? 2 : 4', variables)).toBe(2);
    expect(at("T != 'float'", variables)).toBe(1);
    expect(at('n * x', variables)).toBe(500);
  });

  it.each([
    ['n +', {}, 'column 4: the expression ends where a number, a variable or "(" is needed'],
    ['rws * 2', { rows: 1 }, 'column 1: unknown variable "rws": did you mean "rows"?'],
    ['a & b', {}, 'column 3: unexpected "&": write && for "and"'],
    ['2 = 2', {}, 'column 3: unexpected "=": write == to compare'],
    ['1 / (2 - 2)', {}, 'column 3: division by zero'],
    ['1 % 0', {}, 'column 3: division by zero'],
    ['cel_div(1, 2)', {}, 'column 1: unknown function "cel_div": did you mean "ceil_div"?'],
    ['ceil_div(1)', {}, 'column 1: "ceil_div" takes 2 arguments, 1 given'],
    ['min()', {}, 'column 1: "min" takes 1 to 16 arguments, 0 given'],
    ['(1 + 2', {}, 'column 7: ")" is missing for the "(" in column 1'],
    ['1 2', {}, 'column 3: unexpected "2": an operator is missing before it'],
    ['1 )', {}, 'column 3: unexpected ")": there is no "(" for it'],
    ['1 ? 2', {}, 'column 6: ":" is missing after the first branch of "?"'],
    ['T + 1', { T: 'half' }, 'column 3: "half" is not a number: names of dtypes can only be compared with == and !='],
    ['pow(10, 300) * pow(10, 300)', {}, 'column 1: the result is too large'],
    ['9007199254740991 + 1', {}, 'column 18: the result is too large'],
    ['constructor', {}, 'column 1: unknown variable "constructor": known are none'],
    [
      'process.exit()',
      {},
      'column 8: unexpected ".": use + - * / % < <= > >= == != && || ! ?: and min, max, ceil_div, pow',
    ],
  ])('%s fails with place and remedy', (text, variables, message) => {
    expect(errorOf(text, variables)).toBe(message);
  });

  it('bounds depth and length', () => {
    expect(errorOf('('.repeat(500))).toContain('nested deeper');
    expect(errorOf('-'.repeat(500) + '1')).toContain('nested deeper');
    expect(errorOf('1' + '+1'.repeat(600))).toContain('longer than');
    expect(errorOf('1?'.repeat(300))).toContain('nested deeper');
  });
});

/** Expressions over integers with the value that C's 32-bit-free integer arithmetic gives, computed beside them. */
const { tree } = fc.letrec<{ tree: { text: string; value: bigint } | undefined }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.nat(50).map((n) => ({ text: String(n), value: BigInt(n) })),
    fc.tuple(tie('tree'), fc.constantFrom('+', '-', '*', '/', '%'), tie('tree')).map(([a, op, b]) => {
      if (!a || !b) return undefined;
      const text = `(${a.text}) ${op} (${b.text})`;
      if (op === '+') return { text, value: a.value + b.value };
      if (op === '-') return { text, value: a.value - b.value };
      if (op === '*') return { text, value: a.value * b.value };
      if (b.value === 0n) return undefined;
      // BigInt division truncates, as C's does.
      return { text, value: op === '/' ? a.value / b.value : a.value % b.value };
    }),
  ),
}));

describe('properties', () => {
  it('agrees with exact integer arithmetic', () => {
    fc.assert(
      fc.property(tree, (t) => {
        fc.pre(t !== undefined && t.text.length < 1000 && t.value < 2n ** 53n && t.value > -(2n ** 53n));
        const result = errorOf(t.text);
        fc.pre(!result.includes('too large') && !result.includes('nested'));
        expect(at(t.text)).toBe(Number(t.value));
      }),
    );
  });

  it('gives a number or an ExpressionError for any text', () => {
    const piece = fc.constantFrom(
      ...'n ( ) + - * / % < > = ! & | ? : , min( 1 2.5 "half" ceil_div( \u{1F680} \\ \n'.split(' '),
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 40 }).map((p) => p.join(' ')),
    );
    fc.assert(
      fc.property(text, (t) => {
        const result = errorOf(t, { n: 3, T: 'half' });
        expect(result === 'no error' || /^column \d+: /.test(result)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
