// What the grammar must not see: CUDA's qualifiers in all their places, launch configurations, preprocessor lines, dead code and
// macros of the file that stand for such. They are read here from tokens and blanked out, so that every offset stays the same.
import type { Macro, Preprocessed } from './preprocess.js';
import type { SourceText } from './text.js';
import { matchBrackets, splitArguments, type Token } from './tokens.js';
import type { Launch } from './types.js';

/** A qualifier in the text; for __launch_bounds__ with its arguments as written. */
export interface Qualifier {
  kind: 'global' | 'device' | 'host' | 'bounds' | 'other';
  bounds?: string[];
  start: number;
  end: number;
}

/** A use of a macro whose body defines kernels. */
export interface MacroUse {
  macro: Macro;
  /** One text per argument. */
  arguments: string[];
  start: number;
  end: number;
}

const PLAIN: Readonly<Record<string, Qualifier['kind']>> = {
  __global__: 'global',
  __device__: 'device',
  __host__: 'host',
  __forceinline__: 'other',
  __noinline__: 'other',
  __inline__: 'other',
  __shared__: 'other',
  __constant__: 'other',
  __managed__: 'other',
  __grid_constant__: 'other',
  __extension__: 'other',
  __volatile__: 'other',
};
const WITH_ARGUMENTS = new Set([
  '__launch_bounds__',
  '__maxnreg__',
  '__cluster_dims__',
  '__block_size__',
  '__align__',
  '__attribute__',
  '__declspec',
  'alignas',
]);

export interface Qualified {
  /** In the order of the text. */
  qualifiers: Qualifier[];
  uses: MacroUse[];
}

/** Finds the qualifiers of live code, those that macros of the file stand for included. */
export function findQualifiers(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  macros: readonly Macro[],
): Qualified {
  const isSpecial = (m: Macro) => m.body.some(isQualifierName) && (isQualifierMacro(m) || definesFunctions(m));
  const special = new Map(macros.filter(isSpecial).map((m) => [m.name, m]));
  const qualifiers: Qualifier[] = [];
  const uses: MacroUse[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token?.kind !== 'name') continue;
    const close = tokens[i + 1]?.text === '(' ? partners.get(i + 1) : undefined;
    const macro = special.get(token.text);
    if (macro !== undefined && (macro.parameters === undefined || close !== undefined)) {
      const last = macro.parameters === undefined ? i : (close ?? i);
      const use: MacroUse = {
        macro,
        arguments: last > i ? splitArguments(tokens, partners, i + 2, last).map((a) => joined(tokens, a)) : [],
        start: token.start,
        end: tokens[last]?.end ?? token.end,
      };
      if (definesFunctions(macro)) uses.push(use);
      else qualifiers.push(...expandQualifiers(use));
      i = last;
    } else if (isQualifierName(token)) {
      const takesArguments = WITH_ARGUMENTS.has(token.text) && close !== undefined;
      const last = takesArguments ? close : i;
      qualifiers.push(...readQualifier(tokens, partners, i, last));
      i = last;
    }
  }
  return { qualifiers, uses };
}

function isQualifierName(token: Token): boolean {
  return token.kind === 'name' && (Object.hasOwn(PLAIN, token.text) || WITH_ARGUMENTS.has(token.text));
}

/** True for `#define DEFINE(name) __global__ void name() { … }`, false for `#define KERNEL __global__ void`. */
function definesFunctions(macro: Macro): boolean {
  return macro.body.some((t) => t.text === '{' || t.text === ';');
}

/** True for macros that stand for qualifiers only: their uses are read as such. */
function isQualifierMacro(macro: Macro): boolean {
  return macro.body.some(isQualifierName) && !definesFunctions(macro) && !macro.body.some((t) => t.text === '<<<');
}

function readQualifier(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  at: number,
  last: number,
): Qualifier[] {
  const token = tokens[at];
  if (token === undefined) return [];
  const end = tokens[last]?.end ?? token.end;
  const place = { start: token.start, end };
  const plain = PLAIN[token.text];
  if (plain !== undefined) return [{ kind: plain, ...place }];
  const args = splitArguments(tokens, partners, at + 2, last);
  if (token.text === '__launch_bounds__') {
    return [{ kind: 'bounds', bounds: args.map((a) => joined(tokens, a)), ...place }];
  }
  const found: Qualifier[] = [{ kind: 'other', ...place }];
  if (token.text !== '__attribute__') return found;
  for (let i = at + 2; i < last; i++) {
    const word = tokens[i]?.text.replace(/^__|__$/g, '');
    if (word === 'global' || word === 'device' || word === 'host') found.push({ kind: word, ...place });
    if (word === 'launch_bounds' && tokens[i + 1]?.text === '(') {
      const bounds = splitArguments(tokens, partners, i + 2, partners.get(i + 1) ?? last);
      found.push({ kind: 'bounds', bounds: bounds.map((a) => joined(tokens, a)), ...place });
    }
  }
  return found;
}

/** The qualifiers a macro stands for, each at the place of its use, parameters replaced. */
function expandQualifiers(use: MacroUse): Qualifier[] {
  const { macro, start, end } = use;
  const replaced = macro.body.map((t): Token => {
    const parameter = t.kind === 'name' ? (macro.parameters?.indexOf(t.text) ?? -1) : -1;
    return parameter === -1 ? t : { ...t, text: use.arguments[parameter] ?? '' };
  });
  const partners = matchBrackets(replaced);
  const found: Qualifier[] = [{ kind: 'other', start, end }];
  replaced.forEach((token, i) => {
    if (!isQualifierName(token)) return;
    const last = replaced[i + 1]?.text === '(' ? (partners.get(i + 1) ?? i) : i;
    found.push(...readQualifier(replaced, partners, i, last).map((q) => ({ ...q, start, end })));
  });
  return found;
}

/** Tokens as text, one blank where there was any space or comment. */
export function joined(tokens: readonly Token[], range: { from: number; to: number }): string {
  let text = '';
  for (let i = range.from; i < range.to; i++) {
    const token = tokens[i];
    if (token === undefined) break;
    const gap = i > range.from && (tokens[i - 1]?.end ?? token.start) < token.start;
    text += (gap ? ' ' : '') + token.text;
  }
  return text;
}

/** The text with everything blanked that the grammar must not see; line breaks stay. */
export function maskText(
  source: SourceText,
  code: Preprocessed,
  qualified: Qualified,
  launches: readonly Launch[],
): string {
  const blanks = [
    ...code.directives,
    ...code.dead,
    ...qualified.qualifiers,
    ...qualified.uses,
    ...launches.map((l) => ({ start: l.configRange.startIndex, end: l.configRange.endIndex })),
  ].sort((a, b) => a.start - b.start);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of blanks) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    parts.push(source.text.slice(at, from), source.text.slice(from, end).replace(/[^\r\n]/g, ' '));
    at = end;
  }
  parts.push(source.text.slice(at));
  return parts.join('').replace(/^\uFEFF/, ' ');
}
