// The tokens of a file, and those of one body in it: what readers of bodies ask for by position.
import { preprocess, type Macro } from './preprocess.js';
import { parseTerm, type Term } from './term.js';
import { SourceText } from './text.js';
import { matchBrackets, splitArguments, templateEnd, tokenize, type Token } from './tokens.js';
import type { Range } from './types.js';

/** The tokens of a file, for looking into bodies. */
export interface Code {
  tokens: readonly Token[];
  partners: ReadonlyMap<number, number>;
  macros: readonly Macro[];
}

export function readCode(text: string): Code {
  const { live, macros } = preprocess(new SourceText(text), tokenize(text));
  return { tokens: live, partners: matchBrackets(live), macros };
}

/** The tokens between the braces of a function. Positions count tokens of the file; beyond its end they are empty. */
export class BodyCode {
  readonly from: number;
  readonly to: number;

  constructor(
    private readonly code: Code,
    range: Range,
  ) {
    const after = code.tokens.findIndex((t) => t.start >= range.endIndex);
    this.to = after === -1 ? code.tokens.length : after;
    // The header is no part of it: its names are declared there, not used.
    this.from = code.tokens[this.to - 1]?.text === '}' ? (code.partners.get(this.to - 1) ?? this.to) : this.to;
  }

  text(at: number): string {
    return this.code.tokens[at]?.text ?? '';
  }

  kind(at: number): Token['kind'] | undefined {
    return this.code.tokens[at]?.kind;
  }

  /** The bracket that belongs to the one at a position. */
  partner(at: number): number | undefined {
    return this.code.partners.get(at);
  }

  term(from: number, to: number): Term | undefined {
    return parseTerm(this.code.tokens, this.code.partners, from, to);
  }

  /** The position behind template arguments that start at one; itself where none do. */
  afterTemplate(at: number): number {
    if (this.text(at) !== '<') return at;
    return (templateEnd(this.code.tokens, this.code.partners, at, this.to) ?? at - 1) + 1;
  }

  /** The arguments between two brackets as token ranges. */
  arguments(from: number, to: number): { from: number; to: number }[] {
    return splitArguments(this.code.tokens, this.code.partners, from, to);
  }

  /** The first token of a text, not inside brackets that open on the way. */
  find(text: string, from: number, to: number): number | undefined {
    for (let i = from; i < to; i++) {
      if (this.text(i) === text) return i;
      i = Math.max(i, this.partner(i) ?? i);
    }
    return undefined;
  }

  /** End of an initialiser: the `;` or `,` that ends it. */
  statementEnd(from: number): number {
    let i = from;
    while (i < this.to && ![';', ',', ')', '}'].includes(this.text(i))) i = Math.max(i, this.partner(i) ?? i) + 1;
    return i;
  }
}
