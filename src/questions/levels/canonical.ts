// Whether two units say the same: their words with constants replaced and the names of locals numbered.
import type { Token } from '../../kernel/tokens.js';
import { expanded } from './constants.js';
import type { Unit } from './version.js';

const KEYWORDS =
  /^(if|else|for|while|do|switch|case|default|break|continue|return|goto|struct|class|union|enum|typename|template|using|namespace|static|extern|inline|const|constexpr|volatile|register|mutable|auto|void|bool|true|false|nullptr|sizeof|alignof|decltype|new|delete|this|operator|public|private|protected|friend|virtual|explicit|throw|try|catch|noexcept|asm|int|unsigned|signed|long|short|char|float|double|half|uint|ushort|uchar|dim3|threadIdx|blockIdx|blockDim|gridDim|warpSize|wmma|std|cg|cooperative_groups|restrict)$/;
/** Words that mean something beyond this unit: reserved ones, those of CUDA, macros in capitals, types. */
const FIXED =
  /^(__.*|cuda.*|cu[A-Z].*|CU.*|[A-Z][A-Z0-9_]+|\w+_t|\w*(?:half|float|double|int|uint|char|uchar|short|ushort|long|ulong|bfloat16)\d*)$/;

export function isFixed(word: string): boolean {
  return KEYWORDS.test(word) || FIXED.test(word);
}

/** A word of a unit and the token it comes from: a constant stands for several words. */
export interface CanonicalWord {
  text: string;
  token: number;
}

/** The words of a unit. @param shared names of functions and globals that both versions have: they keep their names */
export function canonicalWords(unit: Unit, shared: ReadonlySet<string>): CanonicalWord[] {
  const { tokens } = unit.file.source;
  const numbers = new Map<string, number>();
  const words: CanonicalWord[] = [];
  const textsOf = (token: Token, at: number): readonly string[] => {
    if (token.kind !== 'name') return [token.text];
    if (unit.file.constants.has(token.text)) return expanded(unit.file.constants, token.text);
    const value = unit.values.get(token.text);
    if (value !== undefined) return [value];
    if (isFixed(token.text) || shared.has(token.text) || isForeign(tokens, at)) return [token.text];
    const number = numbers.get(token.text) ?? numbers.size;
    numbers.set(token.text, number);
    return [`$${number}`];
  };
  for (let i = unit.from; i < unit.to; i++) {
    const token = tokens[i];
    if (!token) break;
    for (const text of textsOf(token, i)) words.push({ text, token: i });
  }
  return words;
}

/** Members, what a namespace holds, and functions that the file does not define. */
function isForeign(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text;
  return before === '.' || before === '->' || before === '::' || tokens[at + 1]?.text === '::';
}

/** Units that have no equal on the other side. @param word how a word counts in the comparison */
export function changedUnits(
  before: readonly Unit[],
  after: readonly Unit[],
  word: (text: string) => string = (text) => text,
): { before: Unit[]; after: Unit[] } {
  const shared = sharedNames(before, after);
  const keyOf = (unit: Unit): string =>
    canonicalWords(unit, shared)
      .map((w) => word(w.text))
      .join(' ');
  const open = new Map<string, Unit[]>();
  for (const unit of before) {
    const key = keyOf(unit);
    const same = open.get(key);
    if (same) same.push(unit);
    else open.set(key, [unit]);
  }
  const added = after.filter((unit) => open.get(keyOf(unit))?.pop() === undefined);
  const left = new Set([...open.values()].flat());
  return { before: before.filter((u) => left.has(u)), after: added };
}

/** Do these units differ in the values of constants only? */
export function onlyConstants(before: readonly Unit[], after: readonly Unit[]): boolean {
  const rest = changedUnits(before, after, (text) => (/^[\d.]/.test(text) ? '0' : text));
  return rest.before.length === 0 && rest.after.length === 0;
}

/** Names of functions of both sides, and names that calls of both sides use: builtins, library functions, types. */
export function sharedNames(before: readonly Unit[], after: readonly Unit[]): ReadonlySet<string> {
  const [was, is] = [outerNames(before), outerNames(after)];
  return new Set([...was].filter((name) => is.has(name)));
}

function outerNames(units: readonly Unit[]): Set<string> {
  const names = new Set<string>();
  for (const unit of units) {
    if (unit.found) names.add(unit.found.name);
    const { tokens } = unit.file.source;
    for (let i = unit.from; i < unit.to; i++) {
      const token = tokens[i];
      if (token?.kind !== 'name' || isFixed(token.text)) continue;
      const next = tokens[i + 1]?.text;
      if (next === '(' || next === '<<<' || unit.kind === 'declaration') names.add(token.text);
    }
  }
  return names;
}
