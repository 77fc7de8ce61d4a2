// Replacements in a text, by offsets of the original.
import type { Token } from '../../../src/kernel/tokens.js';

export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Applies edits that do not overlap; insertions at one place keep the order in which they are listed. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    if (edit.start < at) continue;
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** Tokens as one line without comments; adjacent ones stay adjacent. */
export function oneLine(tokens: readonly Token[]): string {
  return tokens.map((t, i) => (i > 0 && (tokens[i - 1]?.end ?? 0) < t.start ? ' ' : '') + t.text).join('');
}
