// The agent's working copy, in memory: viewing and exact search-and-replace, limited to the task's own files.
import path from 'node:path';
import type { SourceFile } from '../../../remote-runner/protocol.js';
import { LIMITS } from '../../../remote-runner/protocol.js';
import type { Quote } from './text.js';

/** What a tool cannot do, worded for the agent: what was wrong and what to do instead. */
export class ToolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolError';
  }
}

const VIEW_LINES = 1500;
const VIEW_CHARACTERS = 100_000;

export class WorkingCopy {
  private readonly sources: Map<string, string>;

  /** @param readOnly text of files that may be viewed only, by path */
  constructor(
    original: readonly SourceFile[],
    private readonly readOnly: ReadonlyMap<string, string>,
    private readonly quote: Quote,
  ) {
    this.sources = new Map(original.map(({ path, text }) => [path, text]));
  }

  /** Complete text of every source. */
  current(): SourceFile[] {
    return [...this.sources].map(([path, text]) => ({ path, text }));
  }

  /** Makes the sources what they are in `sources`, which has the same paths. */
  restore(sources: readonly SourceFile[]): void {
    for (const { path: name, text } of sources) this.sources.set(name, text);
  }

  /**
   * Numbered lines of a file, 1-based, both ends included.
   * @throws ToolError
   */
  view(asked: string, from?: number, to?: number): string {
    const name = path.posix.normalize(asked);
    const text = this.sources.get(name) ?? this.readOnly.get(name);
    if (text === undefined) {
      throw new ToolError(`there is no file "${asked}"; there are: ${this.paths().join(', ')}`);
    }
    const lines = text.split(/\r\n|\n|\r/);
    if (lines.at(-1) === '') lines.pop();
    const first = Math.max(1, from ?? 1);
    const last = Math.min(lines.length, to ?? lines.length);
    if (lines.length > 0 && first > last) {
      throw new ToolError(
        `${name} has ${lines.length} lines; there is nothing from ${from ?? 1} to ${to ?? 'its end'}`,
      );
    }
    const width = String(last).length;
    const shown: string[] = [];
    let characters = 0;
    for (let n = first; n <= last && shown.length < VIEW_LINES && characters < VIEW_CHARACTERS; n++) {
      const line = `${String(n).padStart(width)}  ${lines[n - 1] ?? ''}`;
      characters += line.length;
      shown.push(line.slice(0, VIEW_CHARACTERS));
    }
    const end = first + shown.length - 1;
    const more = end < last ? `\n(${lines.length} lines in all; view on from line ${end + 1})` : '';
    return this.quote(shown.join('\n'), name) + more;
  }

  /**
   * Replaces the one place where `old` stands.
   * @returns the file and the line where the new text begins
   * @throws ToolError when it stands nowhere, at several places, or the file may not be edited
   */
  edit(asked: string, old: string, replacement: string): { path: string; line: number } {
    const name = path.posix.normalize(asked);
    const text = this.sources.get(name);
    if (text === undefined) {
      const sources = [...this.sources.keys()].join(', ');
      const why = this.readOnly.has(name) ? `${name} is read-only` : `there is no source "${asked}"`;
      throw new ToolError(`${why}; you may edit: ${sources}`);
    }
    if (old === '') throw new ToolError('"old" is empty; give the text to replace, with enough around it to be unique');
    // Views show plain line ends; in a file with CRLF the agent's text is taken to mean those.
    const crlf = text.includes('\r\n') && !text.includes(old);
    const wanted = crlf ? toCrlf(old) : old;
    const written = crlf ? toCrlf(replacement) : replacement;
    const places = occurrences(text, wanted);
    const [at] = places;
    if (at === undefined) throw new ToolError(`"old" does not stand in ${name}. ${hint(text, old, this.quote)}`);
    if (places.length > 1) {
      const lines = [...new Set(places.map((p) => lineAt(text, p)))];
      throw new ToolError(
        `"old" stands ${places.length} times in ${name}, at line${lines.length > 1 ? 's' : ''} ${lines.slice(0, 20).join(', ')}; ` +
          'give more of the text around the one you mean',
      );
    }
    if (wanted === written) throw new ToolError('"new" is the same as "old"; nothing would change');
    const changed = text.slice(0, at) + written + text.slice(at + wanted.length);
    if (changed.length > LIMITS.source) {
      throw new ToolError(`${name} would be longer than ${LIMITS.source} characters`);
    }
    this.sources.set(name, changed);
    return { path: name, line: lineAt(changed, at) };
  }

  private paths(): string[] {
    return [...this.sources.keys(), ...this.readOnly.keys()];
  }
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** Where `needle` stands, overlapping places included: any of them could be meant. */
function occurrences(text: string, needle: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) places.push(at);
  return places;
}

/** 1-based. */
function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** The nearest thing there is to what was looked for. */
function hint(text: string, old: string, quote: Quote): string {
  const lines = text.split(/\r\n|\n|\r/);
  const wanted = old.split('\n').map(squeezed);
  const first = wanted.findIndex((line) => line !== '');
  if (first < 0) return 'It holds nothing but white space.';
  const looked = wanted.slice(first);
  while (looked.at(-1) === '') looked.pop();
  const present = lines.map(squeezed);
  const same = present.findIndex((_, i) => looked.every((line, k) => present[i + k] === line));
  if (same >= 0) {
    const shown = lines.slice(same, same + looked.length).join('\n');
    return `Only white space differs from line ${same + 1} on, where the file has:\n${quote(shown)}`;
  }
  let best = { line: 0, likeness: 0 };
  for (const [i, line] of present.entries()) {
    const likeness = alike(line, looked[0] ?? '');
    if (likeness > best.likeness) best = { line: i, likeness };
  }
  if (best.likeness === 0) return 'Nothing in the file is like it; view the file.';
  return `The line most like its first is line ${best.line + 1}:\n${quote(lines[best.line] ?? '')}`;
}

function squeezed(line: string): string {
  return line.replace(/\s+/g, '');
}

/** Dice coefficient over pairs of characters: 0 for nothing in common, 1 for the same. */
function alike(a: string, b: string): number {
  if (a === b) return 1;
  const pairs = new Map<string, number>();
  for (let i = 0; i + 1 < a.length; i++) {
    const pair = a.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let i = 0; i + 1 < b.length; i++) {
    const left = pairs.get(b.slice(i, i + 2)) ?? 0;
    if (left > 0) {
      common += 1;
      pairs.set(b.slice(i, i + 2), left - 1);
    }
  }
  return (2 * common) / Math.max(1, a.length + b.length - 2);
}
