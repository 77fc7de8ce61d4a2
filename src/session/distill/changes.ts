// A version of the sources as single changes of another, each of which can be taken or left.
import { diffLines } from 'diff';
import type { SourceFile } from '../../../remote-runner/protocol.js';

/** Lines that are replaced together; nothing between them stayed. */
export interface Change {
  /** Its place among all changes. */
  index: number;
  path: string;
  /** Line of the new version at which it begins, from 1. */
  line: number;
  removed: string;
  added: string;
}

/** One source as a row of parts: text that both versions have, and changes. */
interface Parts {
  path: string;
  parts: (string | Change)[];
}

/** How long one source may be compared, ms. */
const PATIENCE = 10_000;

export class Changes {
  private constructor(private readonly files: readonly Parts[]) {}

  /**
   * @throws Error naming a source that is too different to be told apart
   */
  static between(before: readonly SourceFile[], after: readonly SourceFile[]): Changes {
    let index = 0;
    return new Changes(
      after.map(({ path, text }) => {
        const old = before.find((source) => source.path === path)?.text ?? '';
        const pieces = diffLines(old, text, { timeout: PATIENCE });
        if (!pieces) throw new Error(`${path} is too different from the original to be taken apart`);
        const parts: Parts['parts'] = [];
        let line = 1;
        for (const piece of pieces) {
          const last = parts.at(-1);
          if (!piece.added && !piece.removed) parts.push(piece.value);
          else if (typeof last === 'object') last[piece.added ? 'added' : 'removed'] += piece.value;
          else {
            const [removed, added] = piece.added ? ['', piece.value] : [piece.value, ''];
            parts.push({ index: index++, path, line, removed, added });
          }
          if (!piece.removed) line += piece.count;
        }
        return { path, parts };
      }),
    );
  }

  get all(): Change[] {
    return this.files.flatMap(({ parts }) => parts.filter((part) => typeof part === 'object'));
  }

  /** The sources with the changes that are kept, and the old text in the place of the others. */
  with(keeps: (change: Change) => boolean): SourceFile[] {
    return this.files.map(({ path, parts }) => ({
      path,
      text: parts.map((part) => (typeof part === 'string' ? part : keeps(part) ? part.added : part.removed)).join(''),
    }));
  }
}
