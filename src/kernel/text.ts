// Offsets of a text → the positions an editor shows: lines and columns in UTF-16 units, a BOM not counted in columns.
import type { Piece, Position, Range } from './types.js';

/** Answers positions of one text. */
export class SourceText {
  private readonly lineStarts: number[] = [0];
  private readonly bom: number;

  constructor(readonly text: string) {
    this.bom = text.startsWith('\uFEFF') ? 1 : 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.lineStarts.push(at + 1);
  }

  positionAt(index: number): Position {
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    const column = index - (this.lineStarts[low] ?? 0) - (low === 0 ? this.bom : 0);
    return { line: low, column: Math.max(0, column) };
  }

  range(startIndex: number, endIndex: number): Range {
    return { start: this.positionAt(startIndex), end: this.positionAt(endIndex), startIndex, endIndex };
  }

  /** The text between two offsets without the white space around it. */
  piece(startIndex: number, endIndex: number): Piece {
    const raw = this.text.slice(startIndex, endIndex);
    const start = startIndex + (raw.length - raw.trimStart().length);
    const text = raw.trim();
    return { text, range: this.range(start, start + text.length) };
  }
}
