// CUDA source → C++ for the emulation headers: launches, `extern __shared__`, __noinline__ and kernels cast to void*, each in place, so that every line
// keeps its number. Everything else stays byte for byte.
import { findLaunches } from '../../../src/kernel/launches.js';
import { preprocess, type Macro } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, tokenize, type Token } from '../../../src/kernel/tokens.js';
import { applyEdits, oneLine, type Edit } from './edits.js';
import { rewriteLaunch } from './rewrite-launch.js';
import { rewriteSharedDeclarations } from './rewrite-shared.js';

export interface Rewritten {
  text: string;
  /** Lines whose columns moved, from 1. */
  lines: Set<number>;
  /** Launches and declarations that could not be followed; each makes the file `unsupported`. */
  problems: { construct: string; line: number }[];
}

/** Rewrites one file. Never throws for what the text contains. */
export function rewriteCuda(original: string): Rewritten {
  const expanded = expandConfigurations(original);
  const source = new SourceText(expanded.text);
  const edits: Edit[] = [];
  const problems: Rewritten['problems'] = [];
  const code = preprocess(source, tokenize(expanded.text));
  const dead = code.dead.map((d) => tokenize(expanded.text.slice(d.start, d.end)).map((t) => shift(t, d.start)));
  for (const tokens of [code.live, ...dead.map((d) => d.filter((t) => t.kind !== 'directive'))])
    rewriteTokens(source, tokens, undefined, edits, problems);
  for (const macro of code.macros)
    if (!expanded.macros.has(macro.name)) rewriteTokens(source, macro.body, macro, edits, problems);
  const text = applyEdits(expanded.text, edits);
  const lines = new Set(edits.map((e) => source.positionAt(e.start).line + 1));
  for (const line of expanded.lines) lines.add(line);
  return { text, lines, problems };
}

function rewriteTokens(
  source: SourceText,
  tokens: readonly Token[],
  macro: Macro | undefined,
  edits: Edit[],
  problems: Rewritten['problems'],
): void {
  const partners = matchBrackets([...tokens]);
  const lineOf = (index: number): number => source.positionAt(index).line + 1;
  const { launches, unread } = findLaunches(source, tokens, partners);
  for (const launch of launches) edits.push(...rewriteLaunch(tokens, launch, macro));
  for (const { range } of unread)
    problems.push({
      construct: 'a kernel launch that only the preprocessor completes',
      line: lineOf(range.startIndex),
    });
  const shared = rewriteSharedDeclarations(source.text, tokens, partners, macro !== undefined);
  edits.push(...shared.edits);
  for (const start of shared.unread)
    problems.push({ construct: 'an extern __shared__ declaration that is not an array', line: lineOf(start) });
  // libstdc++ writes __attribute__((__noinline__)), so there can be no macro of that name.
  tokens.forEach((token, i) => {
    const cast = token.text === 'cudaLaunchKernel' ? partners.get(i + 2) : undefined;
    const words = cast === undefined ? [] : tokens.slice(i + 3, cast).map((t) => t.text);
    // The emulation launches a kernel by its type, which the cast to void* takes away.
    if (cast !== undefined && /^(const )?void( const)? \*$/.test(words.join(' ')))
      edits.push({ start: tokens[i + 2]!.start, end: tokens[cast]!.end, text: '' });
    if (token.text === '__noinline__' && tokens[i - 1]?.text !== '(')
      edits.push({ start: token.start, end: token.end, text: '__attribute__((noinline))' });
  });
}

/** `#define CONFIG <<<grid, block>>>` is put in place where it is used; no launch could be seen otherwise. */
function expandConfigurations(text: string): { text: string; macros: Set<string>; lines: Set<number> } {
  const source = new SourceText(text);
  const code = preprocess(source, tokenize(text));
  const bodies = new Map<string, string>();
  for (const { name, parameters, body } of code.macros) {
    const isClosed = body.slice(-3).every((t) => t.text === '>') && body.length > 4;
    if (parameters === undefined && body[0]?.text === '<<<' && isClosed) bodies.set(name, oneLine(body));
  }
  if (bodies.size === 0) return { text, macros: new Set(), lines: new Set() };
  const edits = code.live.flatMap((t): Edit[] => {
    const body = t.kind === 'name' ? bodies.get(t.text) : undefined;
    return body === undefined ? [] : [{ start: t.start, end: t.end, text: body }];
  });
  const lines = new Set(edits.map((e) => source.positionAt(e.start).line + 1));
  return { text: applyEdits(text, edits), macros: new Set(bodies.keys()), lines };
}

function shift(token: Token, by: number): Token {
  return { ...token, start: token.start + by, end: token.end + by };
}
