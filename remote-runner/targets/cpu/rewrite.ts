// CUDA source → C++ for the emulation headers, each change in place, so that every line keeps its number. What needs none stays byte
// for byte.
import { findLaunches } from '../../../src/kernel/launches.js';
import { preprocess, type Macro } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, tokenize, type Token } from '../../../src/kernel/tokens.js';
import { rewriteArchitecture } from './architecture.js';
import { applyEdits, type Edit } from './edits.js';
import { expandLaunches } from './expand-launches.js';
import { collectNames, type JobNames } from './job-names.js';
import { rewriteLockstep } from './lockstep.js';
import { rewritePolling } from './polling.js';
import { rewriteAddresses } from './rewrite-addresses.js';
import { rewriteLaunch } from './rewrite-launch.js';
import { rewriteSharedDeclarations } from './rewrite-shared.js';
import { deviceBodies } from './scopes.js';
import { spokenNames } from './volatile-names.js';

export interface Rewritten {
  text: string;
  /** Lines whose columns moved, from 1. */
  lines: Set<number>;
  /** Launches that could not be followed; each makes the file `unsupported`. */
  problems: { construct: string; line: number }[];
  /** Lines of launches that show no grid and block: nvcc refuses them. */
  incomplete: number[];
  /** Lines on which warp-synchronous code without __syncwarp begins. */
  lockstep: number[];
}

/** Rewrites one file. Never throws for what the text contains. */
export function rewriteCuda(original: string, names: JobNames = collectNames([original])): Rewritten {
  const expanded = expandLaunches(original, names);
  const source = new SourceText(expanded.text);
  const edits: Edit[] = rewriteArchitecture(expanded.text, names);
  const result: Rewritten = { text: '', lines: expanded.lines, problems: [], incomplete: [], lockstep: [] };
  const code = preprocess(source, tokenize(expanded.text));
  const dead = code.dead.map((d) => tokenize(expanded.text.slice(d.start, d.end)).map((t) => shift(t, d.start)));
  for (const tokens of [code.live, ...dead.map((d) => d.filter((t) => t.kind !== 'directive'))])
    rewriteTokens(source, tokens, undefined, names, edits, result);
  for (const macro of code.macros)
    if (!expanded.macros.has(macro.name)) rewriteTokens(source, macro.body, macro, names, edits, result);
  result.text = applyEdits(expanded.text, edits);
  for (const edit of edits) result.lines.add(source.positionAt(edit.start).line + 1);
  return result;
}

function rewriteTokens(
  source: SourceText,
  tokens: readonly Token[],
  macro: Macro | undefined,
  names: JobNames,
  edits: Edit[],
  { problems, incomplete, lockstep }: Rewritten,
): void {
  const partners = matchBrackets([...tokens]);
  const lineOf = (index: number): number => source.positionAt(index).line + 1;
  const { launches, unread } = findLaunches(source, tokens, partners);
  for (const launch of launches) edits.push(...rewriteLaunch(tokens, launch, macro));
  for (const { range, reason } of unread) {
    const line = lineOf(range.startIndex);
    if (reason.includes('configuration')) incomplete.push(line);
    else problems.push({ construct: 'a kernel launch that only the preprocessor completes', line });
  }
  edits.push(...rewriteSharedDeclarations(source.text, tokens, partners, macro !== undefined));
  edits.push(...rewriteAddresses(tokens, partners, names));
  const bodies = deviceBodies(tokens, partners, names);
  const spoken = spokenNames(tokens, partners);
  edits.push(...rewritePolling(tokens, partners, bodies, spoken));
  const steps = rewriteLockstep(tokens, partners, bodies, spoken);
  edits.push(...steps.edits);
  lockstep.push(...steps.starts.map(lineOf));
  // libstdc++ writes __attribute__((__noinline__)), so there can be no macro of that name.
  tokens.forEach((token, i) => {
    if (token.text === '__noinline__' && tokens[i - 1]?.text !== '(')
      edits.push({ start: token.start, end: token.end, text: '__attribute__((noinline))' });
  });
}

function shift(token: Token, by: number): Token {
  return { ...token, start: token.start + by, end: token.end + by };
}
