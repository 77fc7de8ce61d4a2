// Macros that hold part of a launch, or of a declaration of dynamic shared memory (`#define CONFIG <<<grid, block>>>`, `#define HEAD(k) k<<<1, 2>>>`): they are put in place
// where they are used, since no launch could be seen there otherwise. Launches that a macro holds whole are rewritten in it.
import { findLaunches } from '../../../src/kernel/launches.js';
import { expandMacro, preprocess, type Macro } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, splitArguments, tokenize, type Token } from '../../../src/kernel/tokens.js';
import { applyEdits, oneLine, type Edit } from './edits.js';
import type { JobNames } from './job-names.js';

export interface Expanded {
  text: string;
  /** Macros whose uses are gone: their definitions need no rewriting. */
  macros: ReadonlySet<string>;
  /** Lines that have changed, from 1. */
  lines: Set<number>;
}

/** A macro may use others that hold less; deeper nesting than this is left to be reported. */
const ROUNDS = 4;

export function expandLaunches(original: string, names: JobNames): Expanded {
  let text = original;
  const macros = new Set<string>();
  const lines = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const source = new SourceText(text);
    const code = preprocess(source, tokenize(text));
    // Definitions of this file as they are by now; those of others as they were written.
    const partial = partialMacros([...[...names.macros.values()].flat(), ...code.macros]);
    const used = [code.live, ...code.macros.filter((m) => !partial.has(m.name)).map((m) => m.body)];
    const edits = used.flatMap((tokens) => expansions(text, tokens, partial, names));
    for (const name of partial.keys()) macros.add(name);
    if (edits.length === 0) break;
    for (const edit of edits) lines.add(source.positionAt(edit.start).line + 1);
    text = applyEdits(text, edits);
  }
  return { text, macros, lines };
}

function partialMacros(all: readonly Macro[]): Map<string, Macro> {
  const partial = new Map<string, Macro>();
  for (const macro of all) if (isPartial(macro)) partial.set(macro.name, macro);
  return partial;
}

function isPartial({ body }: Macro): boolean {
  const has = (text: string): boolean => body.some((t) => t.text === text);
  // `#define DYNAMIC extern __shared__`: the declared name comes where it is used.
  if (has('extern') && has('__shared__') && body.at(-1)?.text === '__shared__') return true;
  const opens = body.some((t) => t.kind === 'mark' && t.text === '<<<');
  // `#define END >>>`: a template list that ends like this has begun before.
  if (!opens)
    return (
      body.slice(-3).length === 3 && body.slice(-3).every((t) => t.text === '>') && !body.some((t) => t.text === '<')
    );
  const text = body.map((t) => t.text).join(' ');
  // Positions do not matter here, only whether each launch is whole.
  return findLaunches(new SourceText(text), body, matchBrackets([...body])).unread.length > 0;
}

function expansions(
  text: string,
  tokens: readonly Token[],
  partial: ReadonlyMap<string, Macro>,
  names: JobNames,
): Edit[] {
  const partners = matchBrackets([...tokens]);
  const edits: Edit[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.kind !== 'name') continue;
    // A configuration that is one macro must be seen too: `k<<<CONFIG>>>(x)`.
    const isConfiguration = tokens[i - 1]?.text === '<<<' && !partial.has(token.text);
    const macro =
      partial.get(token.text) ?? (isConfiguration ? wholeConfiguration(tokens, partners, i, names) : undefined);
    if (!macro) continue;
    const close = macro.parameters === undefined ? i : partners.get(i + 1);
    if (close === undefined || (macro.parameters !== undefined && tokens[i + 1]?.text !== '(')) continue;
    const end = tokens[close]!.end;
    const breaks = text.slice(token.start, end).match(/\\?\r?\n/g) ?? [];
    edits.push({ start: token.start, end, text: expanded(macro, tokens, partners, i) + breaks.join('') });
    i = close;
  }
  return edits;
}

/** The macro at `at` if it is all there is between <<< and >>>. */
function wholeConfiguration(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  at: number,
  names: JobNames,
): Macro | undefined {
  const macro = names.macros.get(tokens[at]!.text)?.at(-1);
  const last = macro?.parameters === undefined ? at : partners.get(at + 1);
  const isWhole = last !== undefined && [1, 2, 3].every((n) => tokens[last + n]?.text === '>');
  return isWhole ? macro : undefined;
}

function expanded(macro: Macro, tokens: readonly Token[], partners: ReadonlyMap<number, number>, at: number): string {
  if (macro.parameters === undefined) return oneLine(macro.body);
  const close = partners.get(at + 1) ?? at + 1;
  const args = splitArguments(tokens, partners, at + 2, close).map(({ from, to }) => oneLine(tokens.slice(from, to)));
  const last = macro.parameters.at(-1);
  if (last === undefined || !/[^.]\.\.\.$/.test(last)) return expandMacro(macro, args);
  // `args...`: the rest under a name of its own.
  const fixed = macro.parameters.length - 1;
  const named = { ...macro, parameters: [...macro.parameters.slice(0, -1), last.replace(/\s*\.\.\.$/, '')] };
  return expandMacro(named, [...args.slice(0, fixed), args.slice(fixed).join(', ')]);
}
