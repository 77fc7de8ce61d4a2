// The conditions at the head of a free kernel that say which threads do anything at all: `if (i >= n) return;`, `if (i < n) …`, and
// loops over a grid, `for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) …`. They are asked
// first, for a whole row; then the rest runs without them for the threads that passed. Only where asking twice changes nothing.
import type { Token } from '../../../src/kernel/tokens.js';
import type { BoundNames } from './bound-names.js';
import { oneLine, type Edit } from './edits.js';
import type { JobNames } from './job-names.js';
import { isOperand, mayChange } from './may-change.js';

export interface Guards {
  kind: 'unguarded' | 'guarded' | 'strided';
  edits: Edit[];
}

/** Types whose variables are numbers. */
const NUMBERS =
  /^(?:const|constexpr|int|unsigned|signed|char|short|long|float|double|bool|auto|size_t|ptrdiff_t|u?int(?:8|16|32|64)_t|uint|ulong|ushort|uchar)$/;
/** Functions of numbers alone. */
const PURE = /^(?:min|max|abs|__umul24|__mul24|__umulhi|__mulhi|sizeof)$/;
const OPERATORS = /^(?:[-+/%<>()?:.,!~|^*&]|<<|<=|>=|==|!=|&&|\|\|)$/;

/** @param body of the kernel, without its braces */
export function findGuards(
  body: readonly Token[],
  partners: ReadonlyMap<number, number>,
  parameters: readonly string[],
  bound: BoundNames,
  names: JobNames,
): Guards {
  const word = (i: number): string => body[i]?.text ?? '';
  const declared = [...parameters];
  const conditions: { from: number; to: number }[] = [];
  const earlier = (): Edit[] => conditions.flatMap(({ from, to }) => around(body, from, to, 'KS_OUTSIDE('));
  /** What is left from here on runs for the threads that passed, if their loop has a chance to be vectorised without conditions. */
  const soFar = (rest: number): Guards => {
    const last = conditions.pop();
    if (last === undefined || !isStraight(body.slice(rest))) return { kind: 'unguarded', edits: [] };
    return { kind: 'guarded', edits: [...earlier(), ...around(body, last.from, last.to, 'KS_OUTSIDE_LAST(')] };
  };
  for (let at = 0; at < body.length;) {
    const close = word(at + 1) === '(' ? (partners.get(at + 1) ?? -1) : -1;
    if (word(at) === 'if' && close > at + 2 && isPure(body.slice(at + 2, close), names)) {
      const next = returnEnd(body, close + 1);
      if (next !== undefined && word(next) !== 'else') {
        conditions.push({ from: at + 2, to: close });
        at = next;
        continue;
      }
      if (statementEnd(body, partners, close + 1) !== body.length || !isStraight(body.slice(close))) return soFar(at);
      return { kind: 'guarded', edits: [...earlier(), ...around(body, at + 2, close, 'KS_INSIDE(')] };
    }
    if (word(at) === 'for' && close > 0) {
      const loop = strideLoop(body, partners, at + 2, close, declared, bound, names);
      return loop ? { kind: 'strided', edits: [...earlier(), ...loop] } : soFar(at);
    }
    const end = declarationEnd(body, partners, at, declared, names);
    if (end === undefined) return soFar(at);
    at = end;
  }
  return soFar(body.length);
}

/** Loops, atomic functions and functions of the C library keep a compiler from vectorising the loop around them. */
const CROOKED =
  /^(?:for|while|do|goto|atomic\w+|printf|(?:a?(?:sin|cos|tan)h?|exp(?:2|10|m1)?|log(?:2|10|1p)?|pow|cbrt|erfc?|[lt]gamma|__(?:exp|log|sin|cos|pow)\w*)f?)$/;

const isStraight = (rest: readonly Token[]): boolean => !rest.some((t) => CROOKED.test(t.text));

function around(body: readonly Token[], from: number, to: number, opening: string): Edit[] {
  const { start } = body[from]!;
  const { end } = body[to - 1]!;
  return [
    { start, end: start, text: opening },
    { start: end, end, text: ')' },
  ];
}

/** The index after `return;` or `{ return; }`. */
function returnEnd(body: readonly Token[], at: number): number | undefined {
  const words = body.slice(at, at + 4).map((t) => t.text);
  if (words[0] === 'return' && words[1] === ';') return at + 2;
  return words.join(' ') === '{ return ; }' ? at + 4 : undefined;
}

/** The index after the statement that begins here; -1 where it is of a kind that is not followed. */
function statementEnd(body: readonly Token[], partners: ReadonlyMap<number, number>, at: number): number {
  const first = body[at]?.text ?? '';
  if (first === '{') return (partners.get(at) ?? -2) + 1;
  if (/^(?:do|try|else|case|default)$/.test(first)) return -1;
  if (/^(?:if|for|while|switch)$/.test(first)) {
    const end = statementEnd(body, partners, (partners.get(at + 1) ?? -2) + 1);
    return first === 'if' && end > 0 && body[end]?.text === 'else' ? statementEnd(body, partners, end + 1) : end;
  }
  for (let i = at; i < body.length; i++) {
    if (body[i]?.text === ';') return i + 1;
    const partner = partners.get(i);
    if (partner !== undefined && partner > i) i = partner;
  }
  return -1;
}

/** The index after `int i = …, j = …;`, whose names become `declared`; undefined where it is something else, or does something. */
function declarationEnd(
  body: readonly Token[],
  partners: ReadonlyMap<number, number>,
  start: number,
  declared: string[],
  names: JobNames,
): number | undefined {
  const word = (i: number): string => body[i]?.text ?? '';
  let at = start;
  while (NUMBERS.test(word(at))) at++;
  if (at === start || (word(at - 1) === 'const' && body[at]?.kind === 'name')) {
    // `const T* row = …`: whatever T is, a pointer is a number.
    if (body[at]?.kind !== 'name' || word(at + 1) !== '*') return undefined;
    at++;
  }
  for (;;) {
    while (/^(?:\*|const|__restrict__|__restrict)$/.test(word(at))) at++;
    const name = body[at];
    if (name?.kind !== 'name') return undefined;
    let end = at + 1;
    if (word(end) === '=') {
      for (end++; end < body.length && !/^[,;]$/.test(word(end)); end++) end = Math.max(end, partners.get(end) ?? end);
      if (!isPure(body.slice(at + 2, end), names)) return undefined;
    }
    declared.push(name.text);
    if (word(end) === ';') return end + 1;
    if (word(end) !== ',') return undefined;
    at = end + 1;
  }
}

/** Arithmetic on numbers alone: it reads no memory and calls nothing that could do something. */
function isPure(tokens: readonly Token[], names: JobNames, depth = 0): boolean {
  if (tokens.length === 0 || depth > 8) return false;
  return tokens.every((token, i) => {
    const { text, kind } = token;
    if (kind === 'number') return true;
    if (kind === 'name') {
      if (/^(?:new|delete|throw|this|operator|co_await)$/.test(text)) return false;
      const macros = names.macros.get(text);
      if (macros) return macros.every((m) => m.body.length === 0 || isPure(m.body, names, depth + 1));
      return tokens[i + 1]?.text !== '(' || PURE.test(text) || NUMBERS.test(text);
    }
    if (kind !== 'mark' || !OPERATORS.test(text)) return false;
    // An asterisk or ampersand that stands behind no operand looks at memory.
    if (text === '*' || text === '&') return isOperand(tokens[i - 1]) && !isCast(tokens, i - 1);
    return true;
  });
}

/** `(int)` ends here. */
function isCast(tokens: readonly Token[], end: number): boolean {
  if (tokens[end]?.text !== ')') return false;
  let at = end - 1;
  while (NUMBERS.test(tokens[at]?.text ?? '')) at--;
  return at < end - 1 && tokens[at]?.text === '(';
}

/** The edits that let a loop over the grid take one turn at a time; undefined where it is none, or its turns depend on each other. */
function strideLoop(
  body: readonly Token[],
  partners: ReadonlyMap<number, number>,
  start: number,
  close: number,
  declared: readonly string[],
  bound: BoundNames,
  names: JobNames,
): Edit[] | undefined {
  const word = (i: number): string => body[i]?.text ?? '';
  const semicolons = body.slice(start, close).flatMap((t, i) => (t.text === ';' ? [start + i] : []));
  const [first, second] = semicolons;
  if (first === undefined || second === undefined || semicolons.length !== 2) return undefined;
  let at = start;
  while (NUMBERS.test(word(at)) && !/^(?:auto|const|constexpr|bool|float|double)$/.test(word(at))) at++;
  const name = word(at);
  const isIndex = at > start && body[at]?.kind === 'name' && word(at + 1) === '=';
  if (!isIndex || !isPure(body.slice(at + 2, first), names) || hasComma(body.slice(at + 2, first))) return undefined;
  if (!isPure(body.slice(first + 1, second), names)) return undefined;
  const isSum = word(second + 2) === '=' && word(second + 3) === name && word(second + 4) === '+';
  const from = word(second + 2) === '+=' ? second + 3 : isSum ? second + 5 : close;
  const by = body.slice(from, close);
  if (word(second + 1) !== name || !isPure(by, names) || hasComma(by) || by.some((t) => t.text === name))
    return undefined;
  if (statementEnd(body, partners, close + 1) !== body.length) return undefined;
  const work = body.slice(close + 1);
  if (work.some((t) => /^(?:break|return)$/.test(t.text))) return undefined;
  const inside = new Map([...partners].map(([a, b]) => [a - close - 1, b - close - 1]));
  if ([name, ...declared].some((n) => mayChange(n, work, inside, bound))) return undefined;
  const stop = body[first]!.start;
  const [step, end] = [body[second + 1]!, body[close]!];
  return [
    { start: stop, end: stop, text: ', ks_turn = 1' },
    ...around(body, first + 1, second, `ks_turn && KS_TURN(${name}, (${oneLine(by)}), `),
    { start: step.start, end: end.start, text: 'ks_turn = 0' },
  ];
}

/** At the outermost level, where it separates declarators or expressions. */
function hasComma(tokens: readonly Token[]): boolean {
  let depth = 0;
  return tokens.some(({ text }) => {
    if (text === '(') depth++;
    if (text === ')') depth--;
    return text === ',' && depth === 0;
  });
}
