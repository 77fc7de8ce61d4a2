// The smallest single replacement that turns one text into another. Pure.

export interface Replacement {
  /** Offsets into the old text, UTF-16 units. */
  start: number;
  end: number;
  text: string;
}

/** Undefined when the texts are equal. Never splits a surrogate pair or a line end of two characters. */
export function replacementOf(from: string, to: string): Replacement | undefined {
  if (from === to) return undefined;
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start += 1;
  while (start > 0 && (splits(from, start) || splits(to, start))) start -= 1;
  let tail = 0;
  while (tail < shorter - start && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail += 1;
  while (tail > 0 && (splits(from, from.length - tail) || splits(to, to.length - tail))) tail -= 1;
  return { start, end: from.length - tail, text: to.slice(start, to.length - tail) };
}

function splits(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  const pair = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
  return pair || (before === 0x0d && after === 0x0a);
}
