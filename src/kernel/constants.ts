// Integer constants with a literal initialiser, where they are really that: never in comments, strings, members or parameters.
import type { Macro } from './preprocess.js';
import type { SourceText } from './text.js';
import type { Token } from './tokens.js';
import type { IntegerConstant } from './types.js';

/** Value of a C++ integer literal, undefined for anything else (`1.5`, `2f`, beyond 2^53). */
export function integerLiteral(text: string): number | undefined {
  const match = /^(0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*)([uUlLzZ]{0,3})$/.exec(text);
  if (!match) return undefined;
  const digits = (match[1] ?? '').replaceAll("'", '');
  const isOctal = /^0\d/.test(digits);
  if (isOctal && !/^[0-7]+$/.test(digits)) return undefined;
  const value = isOctal ? parseInt(digits, 8) : Number(digits);
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * All of a file: `#define`s, `constexpr` and `const` variables, enumerators with a literal, and variables of host functions that
 * are never written again (`int threads = 256;`), which are as good as const. In the order of the text.
 * @param hostBodies offsets of the bodies of host functions
 */
export function findConstants(
  source: SourceText,
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  macros: readonly Macro[],
  hostBodies: readonly { start: number; end: number }[],
): IntegerConstant[] {
  const isSettled = (name: Token): boolean => {
    const body = hostBodies.find((b) => b.start <= name.start && name.end <= b.end);
    return body !== undefined && !isWritten(tokens, name, body);
  };
  const constants = [
    ...macros.flatMap((m) => fromMacro(source, m)),
    ...tokens.flatMap((_, i) => [
      ...fromDeclaration(source, tokens, partners, i, isSettled),
      ...fromEnumeration(source, tokens, partners, i),
    ]),
  ];
  return constants.sort((a, b) => a.literal.range.startIndex - b.literal.range.startIndex);
}

function literalAt(
  source: SourceText,
  tokens: readonly Token[],
  at: number,
): { value: number; piece: IntegerConstant['literal']; next: number } | undefined {
  const isNegative = tokens[at]?.text === '-';
  const number = tokens[isNegative ? at + 1 : at];
  const value = number?.kind === 'number' ? integerLiteral(number.text) : undefined;
  const first = tokens[at];
  if (value === undefined || number === undefined || first === undefined) return undefined;
  return {
    value: isNegative ? 0 - value : value,
    piece: source.piece(first.start, number.end),
    next: isNegative ? at + 2 : at + 1,
  };
}

function fromMacro(source: SourceText, macro: Macro): IntegerConstant[] {
  if (macro.parameters !== undefined) return [];
  let from = 0;
  let to = macro.body.length;
  while (macro.body[from]?.text === '(' && macro.body[to - 1]?.text === ')') {
    from++;
    to--;
  }
  const literal = literalAt(source, macro.body, from);
  if (literal?.next !== to) return [];
  return [{ name: macro.name, kind: 'define', value: literal.value, literal: literal.piece }];
}

const STORAGE = new Set([
  'static',
  'inline',
  'extern',
  'thread_local',
  'constinit',
  '__device__',
  '__constant__',
  '__host__',
]);
const INTEGER_TYPES =
  /^(int|unsigned|signed|long|short|char|auto|(std|size_t|ssize_t|ptrdiff_t)|u?int(8|16|32|64)_t|uint|ushort|uchar|dim_t)$/;

/** Where a declaration may start: after a statement, a brace or a label. */
function startsDeclaration(before: Token | undefined): boolean {
  return before === undefined || [';', '{', '}', ':', ')', '>'].includes(before.text);
}

/** Whether a variable is assigned, stepped or has its address taken anywhere in the function besides its declaration. */
function isWritten(tokens: readonly Token[], declared: Token, body: { start: number; end: number }): boolean {
  return tokens.some((token, i) => {
    if (token.text !== declared.text || token === declared || token.start < body.start || token.end > body.end)
      return false;
    const [before, after] = [tokens[i - 1]?.text ?? '', tokens[i + 1]?.text ?? ''];
    if (/^(\+\+|--)$/.test(before) || /^(\+\+|--|[-+*/%&|^]?=|<<=|>>=)$/.test(after)) return true;
    return before === '&' && !['name', 'number'].includes(tokens[i - 2]?.kind ?? '');
  });
}

function fromDeclaration(
  source: SourceText,
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  at: number,
  isSettled: (name: Token) => boolean,
): IntegerConstant[] {
  if (tokens[at]?.kind !== 'name' || !startsDeclaration(tokens[at - 1])) return [];
  let i = at;
  let kind: 'const' | 'constexpr' | undefined;
  let isInteger = false;
  for (; tokens[i]?.kind === 'name' || tokens[i]?.text === '::'; i++) {
    const word = tokens[i]?.text ?? '';
    if (word === 'constexpr') kind = 'constexpr';
    else if (word === 'const') kind ??= 'const';
    else if (INTEGER_TYPES.test(word)) isInteger = true;
    else if (!STORAGE.has(word) && word !== '::') break;
  }
  if (!isInteger) return [];
  const found: IntegerConstant[] = [];
  for (;;) {
    const name = tokens[i];
    if (name?.kind !== 'name') return found;
    const opener = tokens[i + 1]?.text;
    const literal = opener === '=' || opener === '{' || opener === '(' ? literalAt(source, tokens, i + 2) : undefined;
    let next = literal?.next ?? -1;
    if (literal && opener !== '=') next = partners.get(i + 1) === next ? next + 1 : -1;
    const end = tokens[next]?.text;
    if (literal && (end === ';' || end === ',')) {
      if (kind !== undefined || isSettled(name)) {
        found.push({ name: name.text, kind: kind ?? 'const', value: literal.value, literal: literal.piece });
      }
    } else {
      // A derived constant: skip to the next declarator.
      next = i + 1;
      while (next < tokens.length && tokens[next]?.text !== ';' && tokens[next]?.text !== ',') {
        next = Math.max(next, partners.get(next) ?? 0) + 1;
      }
    }
    if (tokens[next]?.text !== ',') return found;
    i = next + 1;
  }
}

function fromEnumeration(
  source: SourceText,
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  at: number,
): IntegerConstant[] {
  if (tokens[at]?.text !== 'enum') return [];
  let open = at + 1;
  while (tokens[open]?.kind === 'name' || tokens[open]?.text === ':' || tokens[open]?.text === '::') open++;
  const close = tokens[open]?.text === '{' ? partners.get(open) : undefined;
  if (close === undefined) return [];
  const found: IntegerConstant[] = [];
  for (let i = open + 1; i < close; i++) {
    const name = tokens[i];
    const before = tokens[i - 1]?.text;
    if (name?.kind !== 'name' || (before !== '{' && before !== ',') || tokens[i + 1]?.text !== '=') continue;
    const literal = literalAt(source, tokens, i + 2);
    const end = literal ? tokens[literal.next]?.text : undefined;
    if (literal && (end === ',' || end === '}')) {
      found.push({ name: name.text, kind: 'enum', value: literal.value, literal: literal.piece });
    }
  }
  return found;
}
