// The words of a CUDA source: comments skipped, strings and preprocessor lines whole. Never fails, whatever the text is.

export type TokenKind = 'name' | 'number' | 'string' | 'mark' | 'directive';

export interface Token {
  kind: TokenKind;
  text: string;
  start: number;
  end: number;
}

const SPACE = /[\s\uFEFF]+/y;
const NAME = /[\p{L}\p{Nl}_$][\p{L}\p{N}\p{Mn}\p{Mc}\p{Pc}$]*/uy;
const NUMBER = /\.?\d(?:[eEpP][+-]|'?[\w.])*/y;
const RAW_PREFIX = /^(?:u8|[uUL])?R$/;
const STRING_PREFIX = /^(?:u8|[uUL])$/;
/** Longest first. `>` is never joined, since `>>` may close two template lists. */
const MARKS = /<<=|<=>|\.\.\.|->\*|::|->|\+\+|--|&&|\|\||<<|<=|>=|==|!=|[-+*/%&|^]=|##|[\s\S]/y;

/** Splits a text into tokens. `<<<` is one mark, longer runs are others (a conflict's `<<<<<<<`); each `>` stands alone. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let isLineStart = true;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const push = (kind: TokenKind, end: number): void => {
    tokens.push({ kind, text: text.slice(at, end), start: at, end });
    at = end;
    isLineStart = false;
  };
  while (at < text.length) {
    const blank = match(SPACE);
    if (blank !== undefined) {
      isLineStart ||= blank.includes('\n');
      at += blank.length;
      continue;
    }
    const character = text.charAt(at);
    if (character === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) {
      at = commentEnd(text, at);
    } else if (character === '\\' && /^\\\r?\n/.test(text.slice(at, at + 3))) {
      at += text[at + 1] === '\r' ? 3 : 2;
    } else if (character === '#' && isLineStart) {
      push('directive', directiveEnd(text, at));
      isLineStart = true;
    } else if (character === '"' || character === "'") {
      push('string', quotedEnd(text, at));
    } else if (/[\d.]/.test(character) && match(NUMBER) !== undefined) {
      push('number', NUMBER.lastIndex);
    } else {
      const name = match(NAME);
      if (name === undefined) {
        const run = character === '<' ? runLength(text, at) : 0;
        push('mark', run >= 3 ? at + run : at + (match(MARKS)?.length ?? 1));
      } else if (RAW_PREFIX.test(name) && text[at + name.length] === '"') {
        push('string', rawStringEnd(text, at + name.length));
      } else if (STRING_PREFIX.test(name) && /["']/.test(text.charAt(at + name.length))) {
        push('string', quotedEnd(text, at + name.length));
      } else {
        push('name', at + name.length);
      }
    }
  }
  return tokens;
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === '<') end++;
  return end - at;
}

function commentEnd(text: string, at: number): number {
  if (text[at + 1] === '*') {
    const end = text.indexOf('*/', at + 2);
    return end === -1 ? text.length : end + 2;
  }
  return lineEnd(text, at);
}

/** End of a line, where a backslash before the line break continues it. The break itself is not included. */
function lineEnd(text: string, at: number): number {
  for (let from = at; ;) {
    const end = text.indexOf('\n', from);
    if (end === -1) return text.length;
    const last = text[end - 1] === '\r' ? end - 2 : end - 1;
    if (text[last] !== '\\') return text[end - 1] === '\r' ? end - 1 : end;
    from = end + 1;
  }
}

/** End of a preprocessor line: continued by backslashes and by comments that span lines; `//` ends it early. */
function directiveEnd(text: string, at: number): number {
  const end = lineEnd(text, at);
  for (let i = at; i < end; i++) {
    const c = text[i];
    if (c === '"' || c === "'") i = Math.max(i, Math.min(quotedEnd(text, i), end) - 1);
    else if (c === '/' && text[i + 1] === '/') return i;
    else if (c === '/' && text[i + 1] === '*') {
      const close = commentEnd(text, i);
      if (close > end) return directiveEnd(text, close);
      i = close - 1;
    }
  }
  return end;
}

/** End of a string or character literal; an unclosed one ends with its line. */
function quotedEnd(text: string, at: number): number {
  const quote = text[at];
  for (let i = at + 1; i < text.length; i++) {
    const c = text[i];
    if (c === '\\') i += text[i + 1] === '\r' ? 2 : 1;
    else if (c === quote) return i + 1;
    else if (c === '\n') return i;
  }
  return text.length;
}

function rawStringEnd(text: string, quote: number): number {
  const open = text.indexOf('(', quote);
  if (open === -1 || open - quote > 17) return quotedEnd(text, quote);
  const close = `)${text.slice(quote + 1, open)}"`;
  const end = text.indexOf(close, open);
  return end === -1 ? text.length : end + close.length;
}

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** For every bracket token ( ) [ ] { } the index of its partner; absent for unbalanced ones. */
export function matchBrackets(tokens: readonly Token[]): Map<number, number> {
  const partners = new Map<number, number>();
  const open: { index: number; closer: string }[] = [];
  tokens.forEach((token, index) => {
    if (token.kind !== 'mark') return;
    const closer = CLOSERS[token.text];
    if (closer !== undefined) {
      open.push({ index, closer });
    } else if (token.text === ')' || token.text === ']' || token.text === '}') {
      // An unclosed inner bracket must not cost the outer ones: drop openers until the kind fits.
      const at = open.findLastIndex((o) => o.closer === token.text);
      if (at === -1) return;
      const partner = open[at];
      // A brace is the stronger mark: a lone ) or ] never closes across one.
      if (token.text !== '}' && open.slice(at + 1).some((o) => o.closer === '}')) return;
      open.length = at;
      if (partner) {
        partners.set(partner.index, index);
        partners.set(index, partner.index);
      }
    }
  });
  return partners;
}

/**
 * Splits the tokens of an argument list (indices `from` to before `to`) at its commas; commas inside brackets and inside
 * template lists do not count.
 * @returns index ranges, one for each argument; none for an empty list
 */
export function splitArguments(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  from: number,
  to: number,
): { from: number; to: number }[] {
  if (from >= to) return [];
  const pieces: { from: number; to: number }[] = [];
  let start = from;
  for (let i = from; i < to; i++) {
    const text = tokens[i]?.text;
    const partner = partners.get(i);
    if (partner !== undefined && partner > i) i = Math.min(partner, to);
    else if (text === '<') i = templateEnd(tokens, partners, i, to) ?? i;
    else if (text === ',') {
      pieces.push({ from: start, to: i });
      start = i + 1;
    }
  }
  pieces.push({ from: start, to });
  return pieces;
}

/** Whether the `<` at an index opens a template list: the index of its `>`, undefined if it compares. */
export function templateEnd(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  open: number,
  limit: number,
): number | undefined {
  if (tokens[open - 1]?.kind !== 'name') return undefined;
  let depth = 0;
  for (let i = open; i < limit; i++) {
    const text = tokens[i]?.text;
    const partner = partners.get(i);
    if (partner !== undefined && partner > i) {
      i = partner;
    } else if (text === '<') {
      depth++;
    } else if (text === '>') {
      depth--;
      if (depth === 0) return closesTemplate(tokens, i, limit) ? i : undefined;
    } else if (text === ';' || text === '&&' || text === '||' || text === '?' || text === '}' || text === ')') {
      return undefined;
    }
  }
  return undefined;
}

/** `f<a, b>(x)`, `T<a>{…}`, `A<b>::c`, `A<B<c>>` and `f(A<b>, …)` are template lists; `a < b, c > d` is not. */
function closesTemplate(tokens: readonly Token[], close: number, limit: number): boolean {
  if (close + 1 >= limit) return true;
  return ['(', '{', '::', '>', ',', ')', '*', '&', '...'].includes(tokens[close + 1]?.text ?? '');
}
