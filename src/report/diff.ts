// A change as a unified diff for the terminal.
import { createTwoFilesPatch } from 'diff';
import type { SourceFile } from '../../remote-runner/protocol.js';
import type { Paint } from './paint.js';
import { plainText } from './plain.js';

/** Unified diffs of every source that differs, painted; empty when none does. Line ends are compared, not shown. */
export function diffLines(before: readonly SourceFile[], after: readonly SourceFile[], color: Paint): string[] {
  return after.flatMap(({ path, text }) => {
    const old = before.find((source) => source.path === path)?.text ?? '';
    if (old === text) return [];
    const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, old, text, undefined, undefined, { context: 3 });
    const lines = plainText(patch).trimEnd().split('\n');
    return lines
      .filter((line) => !/^=+$/.test(line))
      .map((line) => {
        if (line.startsWith('+++') || line.startsWith('---')) return color('bold', line);
        if (line.startsWith('@@')) return color('cyan', line);
        if (line.startsWith('+')) return color('green', line);
        return line.startsWith('-') ? color('red', line) : line;
      });
  });
}
