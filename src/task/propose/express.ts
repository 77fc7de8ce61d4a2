// Host arithmetic → an expression of the task's own language, over scenario variables.
import { CEIL_DIV, type Term } from '../../kernel/term.js';

/** What a name becomes: another term to express, or a variable as it is. */
export type Resolve = (name: string) => { variable: string } | { term: Term } | undefined;

const PRECEDENCE: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};

/** The expression, or undefined where the term holds what the task's language has no word for. */
export function express(
  term: Term,
  resolve: Resolve,
  sizeOf: (type: string) => number | undefined,
): string | undefined {
  return write(term, resolve, sizeOf, 0, 0)?.text;
}

interface Written {
  text: string;
  precedence: number;
}

function write(
  term: Term,
  resolve: Resolve,
  sizeOf: (type: string) => number | undefined,
  depth: number,
  least: number,
): Written | undefined {
  if (depth > 24) return undefined;
  const inner = (t: Term, precedence: number) => write(t, resolve, sizeOf, depth + 1, precedence);
  const wrap = (written: Written | undefined): Written | undefined =>
    written && written.precedence < least ? { text: `(${written.text})`, precedence: 9 } : written;
  switch (term.kind) {
    case 'number': {
      // `3.0f / n` is no division of integers in the task either.
      const isWhole = Number.isInteger(term.value);
      const text = term.isReal && isWhole && term.value < 1e15 ? `${term.value}.0` : String(term.value);
      return wrap({ text, precedence: term.value < 0 ? 5 : 9 });
    }
    case 'name': {
      const found = resolve(term.name);
      if (found === undefined) return undefined;
      return 'variable' in found ? { text: found.variable, precedence: 9 } : inner(found.term, least);
    }
    case 'sizeof': {
      const size = sizeOf(term.type);
      return size === undefined ? undefined : { text: String(size), precedence: 9 };
    }
    case 'call': {
      const [first] = term.operands;
      const isCeil = /^ceilf?$/.test(term.name) && first?.kind === 'binary' && first.operator === '/';
      const operands = isCeil ? [unfloat(first.left), unfloat(first.right)].map(whole) : term.operands;
      const name =
        isCeil || CEIL_DIV.test(term.name) ? 'ceil_div' : /^(min|max)$/.test(term.name) ? term.name : undefined;
      const texts = operands.map((o) => inner(o, 0)?.text);
      if (name === undefined || texts.some((t) => t === undefined)) return undefined;
      return { text: `${name}(${texts.join(', ')})`, precedence: 9 };
    }
    case 'unary': {
      const operand = term.operator === '~' ? undefined : inner(term.operand, 8);
      return operand && wrap({ text: `${term.operator}${operand.text}`, precedence: 7 });
    }
    case 'choice': {
      const [a, b, c] = [inner(term.condition, 1), inner(term.then, 0), inner(term.otherwise, 0)];
      return a && b && c && wrap({ text: `${a.text} ? ${b.text} : ${c.text}`, precedence: 0 });
    }
    case 'binary': {
      const shifted = shift(term);
      if (shifted) return inner(shifted, least);
      const precedence = PRECEDENCE[term.operator];
      if (precedence === undefined) return undefined;
      const [left, right] = [inner(term.left, precedence), inner(term.right, precedence + 1)];
      return left && right && wrap({ text: `${left.text} ${term.operator} ${right.text}`, precedence });
    }
    case 'element':
      return undefined;
  }
}

/** `n >> 3` is `n / 8`. */
function shift(term: Extract<Term, { kind: 'binary' }>): Term | undefined {
  if ((term.operator !== '<<' && term.operator !== '>>') || term.right.kind !== 'number') return undefined;
  const right: Term = { kind: 'number', value: 2 ** term.right.value };
  return { kind: 'binary', operator: term.operator === '<<' ? '*' : '/', left: term.left, right };
}

/** `n / 256.0` inside ceil is a division by 256. */
function whole(term: Term): Term {
  return term.kind === 'number' ? { kind: 'number', value: term.value } : term;
}

/** `1.0 * n` inside ceil is n. */
function unfloat(term: Term): Term {
  if (term.kind !== 'binary' || term.operator !== '*') return term;
  if (term.left.kind === 'number' && term.left.value === 1) return term.right;
  return term.right.kind === 'number' && term.right.value === 1 ? term.left : term;
}
