// Where an edit begins: the first line that differs, in the new text.
import type { SourceFile } from '../../remote-runner/protocol.js';
import type { MomentPlace } from './types.js';

/** First changed line of the first source that differs; a change that only deletes is placed where the text now goes on. */
export function placeOfEdit(before: readonly SourceFile[], after: readonly SourceFile[]): MomentPlace | undefined {
  const known = new Map(before.map((s) => [s.path, s.text]));
  for (const { path, text } of after) {
    const old = known.get(path) ?? '';
    if (old === text) continue;
    const [was, is] = [old.split(/\r?\n/), text.split(/\r?\n/)];
    const at = is.findIndex((line, i) => line !== was[i]);
    return { file: path, line: at === -1 ? is.length : at + 1 };
  }
  return undefined;
}
