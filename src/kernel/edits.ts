// Edits of a text: everything outside them stays byte for byte.

export interface Edit {
  startIndex: number;
  endIndex: number;
  text: string;
}

/**
 * Applies edits whose offsets all refer to the text as it is.
 * @throws RangeError if two overlap or one lies outside
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((a, b) => a.startIndex - b.startIndex || a.endIndex - b.endIndex);
  const parts: string[] = [];
  let at = 0;
  for (const edit of ordered) {
    if (edit.startIndex < at || edit.endIndex < edit.startIndex || edit.endIndex > text.length) {
      throw new RangeError(`the edit at ${edit.startIndex} overlaps another or lies outside the text`);
    }
    parts.push(text.slice(at, edit.startIndex), edit.text);
    at = edit.endIndex;
  }
  return parts.join('') + text.slice(at);
}
