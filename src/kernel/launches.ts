// Launches: kernel<<<grid, block, shared, stream>>>(arguments), found by tokens, so that macros, lambdas and code the grammar
// cannot read do not hide them.
import type { SourceText } from './text.js';
import { splitArguments, type Token } from './tokens.js';
import type { Launch, Unread } from './types.js';

export interface FoundLaunches {
  /** Without `inFunction`, which needs the functions. */
  launches: Launch[];
  unread: Unread[];
}

/** All launches outside preprocessor lines, in the order of the text. */
export function findLaunches(
  source: SourceText,
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
): FoundLaunches {
  const launches: Launch[] = [];
  const unread: Unread[] = [];
  tokens.forEach((token, open) => {
    if (token.kind !== 'mark' || token.text !== '<<<') return;
    const launch = readLaunch(source, tokens, partners, open);
    if (typeof launch === 'string') unread.push({ range: source.range(token.start, token.end), reason: launch });
    else launches.push(launch);
  });
  return { launches, unread };
}

function readLaunch(
  source: SourceText,
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  open: number,
): Launch | string {
  const close = findClose(tokens, partners, open);
  if (close === undefined) return 'a launch with <<< but no matching >>>(…): check its brackets';
  const callee = readCallee(tokens, partners, open);
  if (callee === undefined) return 'a launch without the name of a kernel before <<<';
  const piece = (range: { from: number; to: number }) =>
    source.piece(tokens[range.from]?.start ?? 0, tokens[range.to - 1]?.end ?? 0);
  const config = splitArguments(tokens, partners, open + 1, close.first).map(piece);
  const [grid, block, shared, stream] = config;
  if (grid === undefined || block === undefined) {
    return 'a launch whose configuration does not show grid and block: is it a macro? Write them out';
  }
  const end = tokens[close.closeArguments]?.end ?? 0;
  const start = tokens[callee.from]?.start ?? 0;
  const nameEnd = tokens[callee.nameTo - 1]?.end ?? 0;
  const launch: Launch = {
    kernel: source.text.slice(start, nameEnd),
    grid,
    block,
    arguments: splitArguments(tokens, partners, close.openArguments + 1, close.closeArguments).map(piece),
    range: source.range(start, end),
    calleeRange: source.range(start, nameEnd),
    configRange: source.range(tokens[open]?.start ?? 0, tokens[close.first + 2]?.end ?? 0),
  };
  if (callee.template) launch.templateArguments = piece(callee.template).text;
  if (shared) launch.shared = shared;
  if (stream) launch.stream = stream;
  return launch;
}

interface Close {
  /** Index of the first of the three `>`. */
  first: number;
  openArguments: number;
  closeArguments: number;
}

function findClose(tokens: readonly Token[], partners: ReadonlyMap<number, number>, open: number): Close | undefined {
  let fallback: Close | undefined;
  let commas = 0;
  for (let i = open + 1; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined || token.text === ';' || token.text === '<<<') break;
    const partner = partners.get(i);
    if (partner !== undefined) {
      if (partner < i) break;
      i = partner;
    } else if (token.text === ',') {
      commas++;
    } else if (isTriple(tokens, i)) {
      const closeArguments = partners.get(i + 3);
      if (tokens[i + 3]?.text !== '(' || closeArguments === undefined) continue;
      const found = { first: i, openArguments: i + 3, closeArguments };
      // `f<g<h<int>>>(n), 64>>>(…)`: three closed templates look the same, but then grid and block are still to come.
      if (commas > 0) return found;
      fallback ??= found;
    }
  }
  return fallback;
}

/** Three adjacent `>` that are not followed by a fourth. */
function isTriple(tokens: readonly Token[], at: number): boolean {
  const [a, b, c, d] = [tokens[at], tokens[at + 1], tokens[at + 2], tokens[at + 3]];
  if (a?.text !== '>' || b?.text !== '>' || c?.text !== '>') return false;
  return a.end === b.start && b.end === c.start && !(d?.text === '>' && c.end === d.start);
}

interface Callee {
  from: number;
  /** One past the last token of the name. */
  nameTo: number;
  /** Tokens between the angle brackets. */
  template?: { from: number; to: number };
}

/** Reads backwards from `<<<`: template arguments, then a name with its namespaces, or a postfix expression. */
function readCallee(tokens: readonly Token[], partners: ReadonlyMap<number, number>, open: number): Callee | undefined {
  let at = open - 1;
  let template: Callee['template'];
  if (tokens[at]?.text === '>') {
    const start = templateStart(tokens, partners, at);
    if (start === undefined) return undefined;
    template = { from: start + 1, to: at };
    at = start - 1;
  }
  const nameTo = at + 1;
  const from = postfixStart(tokens, partners, at);
  return from === undefined ? undefined : { from, nameTo, template };
}

/** The `<` for a `>`; `<<` is always a shift, since no template list opens directly inside another. */
function templateStart(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  close: number,
): number | undefined {
  let depth = 0;
  for (let i = close; i >= 0; i--) {
    const text = tokens[i]?.text;
    const partner = partners.get(i);
    if (partner !== undefined) {
      if (partner > i) return undefined;
      i = partner;
    } else if (text === '>') depth++;
    else if (text === '<' && --depth === 0) return i;
    else if (text === ';') return undefined;
  }
  return undefined;
}

/** First token of `a::b`, `x.y->z`, `kernels[i]`, `(*f)` that ends at an index. */
function postfixStart(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  last: number,
): number | undefined {
  const token = tokens[last];
  if (token === undefined) return undefined;
  let first = last;
  if (token.text === ')' || token.text === ']') {
    const partner = partners.get(last);
    if (partner === undefined) return undefined;
    const before = tokens[partner - 1];
    const isIndexed = before?.kind === 'name' || before?.text === ']' || before?.text === ')';
    if (token.text === ']' && !isIndexed) return undefined;
    return isIndexed ? postfixStart(tokens, partners, partner - 1) : partner;
  }
  if (token.kind !== 'name') return undefined;
  const before = tokens[last - 1]?.text;
  if (before === '::' || before === '.' || before === '->') {
    first = last - 1;
    const scope = tokens[last - 2];
    if (before === '::' && scope?.text === '>') {
      const start = templateStart(tokens, partners, last - 2);
      return start === undefined ? first : (postfixStart(tokens, partners, start - 1) ?? first);
    }
    if (scope?.kind === 'name' && !KEYWORDS.has(scope.text)) return postfixStart(tokens, partners, last - 2);
    if (before !== '::') return postfixStart(tokens, partners, last - 2);
  }
  return first;
}

/** Words before `::k` that are not part of the name. */
const KEYWORDS = new Set(['return', 'else', 'do', 'case']);
