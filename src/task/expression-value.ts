// The value of an expression in one scenario, computed over its tree. Integers divide as in C (towards zero); a number is an
// integer unless it was written or became fractional.
import { ExpressionError, type BinaryOperator, type Expression, type FunctionName } from './expression.js';
import { nearest } from './message.js';
import type { Value, Variables } from './types.js';

/** A number that knows whether it divides as an integer, or the name of a dtype. */
type Computed = { value: number; integer: boolean } | string;

/** The value in a scenario: a number (comparisons give 1 and 0), or the dtype name a variable holds. @throws ExpressionError */
export function evaluate(expression: Expression, variables: Variables): number | string {
  const result = compute(expression, variables);
  return typeof result === 'string' ? result : result.value;
}

function compute(e: Expression, variables: Variables): Computed {
  switch (e.kind) {
    case 'number':
      return { value: e.value, integer: e.integer };
    case 'text':
      return e.value;
    case 'name':
      return lookUp(e.name, e.column, variables);
    case 'unary': {
      const operand = numeric(compute(e.operand, variables), e.column);
      if (e.operator === '!') return truth(operand.value === 0);
      return e.operator === '-' ? { value: 0 - operand.value, integer: operand.integer } : operand;
    }
    case 'choice': {
      const condition = numeric(compute(e.condition, variables), 1);
      return compute(condition.value !== 0 ? e.then : e.otherwise, variables);
    }
    case 'call':
      return callFunction(
        e.name,
        e.operands.map((o) => numeric(compute(o, variables), e.column)),
        e.column,
      );
    case 'binary':
      return computeBinary(e, variables);
  }
}

function lookUp(name: string, column: number, variables: Variables): Computed {
  const value: Value | undefined = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (value === undefined) {
    const known = Object.keys(variables);
    const near = nearest(name, known);
    const remedy = near !== undefined ? `did you mean "${near}"?` : `known are ${known.join(', ') || 'none'}`;
    throw new ExpressionError(column, `unknown variable "${name}": ${remedy}`);
  }
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' ? truth(value) : { value, integer: Number.isInteger(value) };
}

function truth(value: boolean): Computed {
  return { value: value ? 1 : 0, integer: true };
}

function numeric(value: Computed, column: number): { value: number; integer: boolean } {
  if (typeof value !== 'string') return value;
  throw new ExpressionError(column, `"${value}" is not a number: names of dtypes can only be compared with == and !=`);
}

function computeBinary(e: Extract<Expression, { kind: 'binary' }>, variables: Variables): Computed {
  const first = compute(e.left, variables);
  if (e.operator === '&&' || e.operator === '||') {
    const isTrue = numeric(first, e.column).value !== 0;
    if (isTrue === (e.operator === '||')) return truth(isTrue);
    return truth(numeric(compute(e.right, variables), e.column).value !== 0);
  }
  const second = compute(e.right, variables);
  if (e.operator === '==' || e.operator === '!=') {
    const equal =
      typeof first === 'string' || typeof second === 'string' ? first === second : first.value === second.value;
    return truth(equal === (e.operator === '=='));
  }
  const left = numeric(first, e.column);
  const right = numeric(second, e.column);
  return arithmetic(e.operator, left, right, e.column);
}

function arithmetic(
  operator: Exclude<BinaryOperator, '&&' | '||' | '==' | '!='>,
  left: { value: number; integer: boolean },
  right: { value: number; integer: boolean },
  column: number,
): Computed {
  const integer = left.integer && right.integer;
  switch (operator) {
    case '<':
      return truth(left.value < right.value);
    case '<=':
      return truth(left.value <= right.value);
    case '>':
      return truth(left.value > right.value);
    case '>=':
      return truth(left.value >= right.value);
    case '+':
      return bounded(left.value + right.value, integer, column);
    case '-':
      return bounded(left.value - right.value, integer, column);
    case '*':
      return bounded(left.value * right.value, integer, column);
    case '/':
      if (right.value === 0) throw new ExpressionError(column, 'division by zero');
      return bounded(integer ? Math.trunc(left.value / right.value) : left.value / right.value, integer, column);
    case '%':
      if (right.value === 0) throw new ExpressionError(column, 'division by zero');
      return bounded(left.value % right.value, integer, column);
  }
}

function callFunction(
  name: FunctionName,
  operands: readonly { value: number; integer: boolean }[],
  column: number,
): Computed {
  const integer = operands.every((o) => o.integer);
  const values = operands.map((o) => o.value);
  const [a = 0, b = 0] = values;
  switch (name) {
    case 'min':
      return { value: Math.min(...values), integer };
    case 'max':
      return { value: Math.max(...values), integer };
    case 'ceil_div':
      if (b === 0) throw new ExpressionError(column, 'division by zero');
      return bounded(Math.ceil(a / b), true, column);
    case 'pow':
      return bounded(a ** b, integer && b >= 0, column);
  }
}

/** Sizes beyond 2^53 would be wrong without anybody noticing. */
function bounded(value: number, integer: boolean, column: number): Computed {
  if (!Number.isFinite(value) || (integer && !Number.isSafeInteger(value))) {
    throw new ExpressionError(column, 'the result is too large');
  }
  return { value: value === 0 ? 0 : value, integer };
}
