// Evaluates an expression that stands at a JSON path, so that its errors say so.
import { ExpressionError, parseExpression } from './expression.js';
import { evaluate } from './expression-value.js';
import { show } from './message.js';
import { TaskError, type Variables } from './types.js';

/** The number an expression (or number) at `path` has in a scenario. @throws TaskError */
export function evaluateAt(path: string, source: number | string, variables: Variables): number {
  if (typeof source === 'number') return source;
  try {
    const value = evaluate(parseExpression(source), variables);
    if (typeof value === 'number') return value;
    throw new ExpressionError(1, `"${value}" is a dtype where a number is needed`);
  } catch (error) {
    if (error instanceof ExpressionError) throw new TaskError(path, `${show(source)} ${error.message}`);
    throw error;
  }
}

/** As evaluateAt, for counts: a whole number of at least `least`. @throws TaskError */
export function countAt(path: string, source: number | string, variables: Variables, least: number): number {
  const value = evaluateAt(path, source, variables);
  if (Number.isSafeInteger(value) && value >= least) return value;
  const where = typeof source === 'string' ? ` = ${value}` : '';
  throw new TaskError(path, `${show(source)}${where} must be a whole number of at least ${least}`);
}
