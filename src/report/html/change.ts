// One change as a unified diff in colours, bounded in lines and in the time it takes to find.
import { structuredPatch } from 'diff';
import type { SourceFile } from '../../../remote-runner/protocol.js';
import { BOUNDS } from './bounds.js';
import { clipped, markup, visible, type Markup } from './markup.js';

/** Longest line that is shown, characters. */
const LINE = 400;
/** How long one comparison may look for the shortest difference, ms. */
const PATIENCE = 500;

export interface Change {
  body: Markup;
  added: number;
  removed: number;
}

/** What differs between two versions of the sources, with lines counted; undefined where nothing does. */
export function changeOf(before: readonly SourceFile[], after: readonly SourceFile[]): Change | undefined {
  const lines: Markup[] = [];
  let [added, removed, left] = [0, 0, 0];
  const put = (kind: string, text: string): void => {
    if (lines.length < BOUNDS.changeLines)
      lines.push(markup`<span class="${kind}">${clipped(text, LINE) || ' '}</span>`);
    else left += 1;
  };
  for (const { path, text } of after) {
    const old = before.find((source) => source.path === path)?.text ?? '';
    if (old === text) continue;
    put('file', path);
    const hunks = hunksOf(old, text);
    if (typeof hunks === 'string') {
      put('hunk', hunks);
      continue;
    }
    for (const hunk of hunks) {
      put('hunk', `@@ from line ${hunk.oldStart} (${hunk.oldLines}), now line ${hunk.newStart} (${hunk.newLines}) @@`);
      for (const line of hunk.lines) {
        if (line.startsWith('+')) added += 1;
        if (line.startsWith('-')) removed += 1;
        put(line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : 'same', line);
      }
    }
  }
  if (lines.length === 0) return undefined;
  // A line end in a span of its own line would be an empty line more.
  const rest = left > 0 ? markup`<span class="hunk">… ${left} more lines are left out</span>` : undefined;
  return { body: markup`<pre class="diff" tabindex="0">${lines}${rest}</pre>`, added, removed };
}

function hunksOf(old: string, text: string): ReturnType<typeof structuredPatch>['hunks'] | string {
  if (old.length > BOUNDS.source || text.length > BOUNDS.source) return 'too long to be compared here';
  const patch = structuredPatch('', '', visible(old), visible(text), undefined, undefined, {
    context: 3,
    timeout: PATIENCE,
  });
  return patch?.hunks ?? 'too different to be compared here';
}

/** `+12 −3` */
export function countText({ added, removed }: Pick<Change, 'added' | 'removed'>): string {
  return `+${added} −${removed}`;
}
