// CUDA source → C++ for the emulation headers, each change in place, so that every line keeps its number. What needs none stays byte
// for byte.
import { findLaunches } from '../../../src/kernel/launches.js';
import { preprocess, type Macro } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, tokenize, type Token } from '../../../src/kernel/tokens.js';
import { rewriteArchitecture } from './architecture.js';
import type { BoundNames } from './bound-names.js';
import { applyEdits, type Edit } from './edits.js';
import { expandLaunches } from './expand-launches.js';
import { rewriteFreeKernels } from './free-kernels.js';
import { collectNames, type JobNames } from './job-names.js';
import { rewriteLockstep } from './lockstep.js';
import { rewritePolling } from './polling.js';
import { rewriteAddresses } from './rewrite-addresses.js';
import { rewriteLaunch } from './rewrite-launch.js';
import { rewriteSharedDeclarations } from './rewrite-shared.js';
import { deviceBodies, type DeviceBody } from './scopes.js';
import { spokenNames } from './volatile-names.js';

export interface Rewritten {
  text: string;
  /** Lines whose columns moved, from 1. */
  lines: Set<number>;
  /** Launches that could not be followed; each makes the file `unsupported`. */
  problems: { construct: string; line: number }[];
  /** Lines of launches that show no grid and block: nvcc refuses them. */
  incomplete: number[];
  /** True if device code casts pointers. */
  casts: boolean;
  /** Lines on which warp-synchronous code without __syncwarp begins. */
  lockstep: number[];
}

/**
 * Rewrites one file. Never throws for what the text contains.
 * @param bound where kernels may become loops, what ties threads to each other
 */
export function rewriteCuda(
  original: string,
  names: JobNames = collectNames([original]),
  bound?: BoundNames,
): Rewritten {
  const expanded = expandLaunches(original, names);
  const source = new SourceText(expanded.text);
  const edits: Edit[] = rewriteArchitecture(expanded.text, names);
  const result: Rewritten = {
    text: '',
    lines: expanded.lines,
    problems: [],
    incomplete: [],
    casts: false,
    lockstep: [],
  };
  const code = preprocess(source, tokenize(expanded.text));
  const dead = code.dead.map((d) => tokenize(expanded.text.slice(d.start, d.end)).map((t) => shift(t, d.start)));
  for (const tokens of [code.live, ...dead.map((d) => d.filter((t) => t.kind !== 'directive'))])
    rewriteTokens(source, tokens, undefined, names, bound, edits, result);
  for (const macro of code.macros)
    if (!expanded.macros.has(macro.name)) rewriteTokens(source, macro.body, macro, names, undefined, edits, result);
  result.text = applyEdits(expanded.text, edits);
  for (const edit of edits) result.lines.add(source.positionAt(edit.start).line + 1);
  return result;
}

function rewriteTokens(
  source: SourceText,
  tokens: readonly Token[],
  macro: Macro | undefined,
  names: JobNames,
  bound: BoundNames | undefined,
  edits: Edit[],
  result: Rewritten,
): void {
  const { problems, incomplete, lockstep } = result;
  const partners = matchBrackets([...tokens]);
  const lineOf = (index: number): number => source.positionAt(index).line + 1;
  const { launches, unread } = findLaunches(source, tokens, partners);
  for (const launch of launches) edits.push(...rewriteLaunch(tokens, launch, macro));
  for (const { range, reason } of unread) {
    const line = lineOf(range.startIndex);
    if (reason.includes('configuration')) incomplete.push(line);
    else problems.push({ construct: 'a kernel launch that only the preprocessor completes', line });
  }
  edits.push(...rewriteAddresses(tokens, partners, names));
  const bodies = deviceBodies(tokens, partners, names);
  edits.push(...rewriteSharedDeclarations(source.text, tokens, partners, bodies, macro !== undefined));
  if (bound) edits.push(...rewriteFreeKernels(source.text, tokens, partners, bodies, names, bound));
  const spoken = spokenNames(tokens, partners, bodies);
  edits.push(...rewritePolling(tokens, partners, bodies, spoken));
  const steps = rewriteLockstep(tokens, partners, bodies, spoken);
  edits.push(...steps.edits);
  result.casts ||= castsPointers(tokens, bodies, macro !== undefined);
  lockstep.push(...steps.starts.map(lineOf));
  // libstdc++ writes __attribute__((__noinline__)), so there can be no macro of that name.
  tokens.forEach((token, i) => {
    if (token.text === '__noinline__' && tokens[i - 1]?.text !== '(')
      edits.push({ start: token.start, end: token.end, text: '__attribute__((noinline))' });
  });
}

/** `reinterpret_cast<T*>(p)`, `(T*)p`: memory may be looked at by more than one type. */
function castsPointers(tokens: readonly Token[], bodies: readonly DeviceBody[], inMacro: boolean): boolean {
  const isDevice = (at: number): boolean => inMacro || bodies.some((b) => at > b.open && at < b.close);
  return tokens.some((token, at) => {
    if (token.text === 'reinterpret_cast') return isDevice(at);
    const isPointer = token.text === '*' && tokens[at + 1]?.text === ')' && tokens[at - 1]?.kind === 'name';
    const next = tokens[at + 2];
    return isPointer && isDevice(at) && (next?.kind === 'name' || next?.text === '&' || next?.text === '(');
  });
}

function shift(token: Token, by: number): Token {
  return { ...token, start: token.start + by, end: token.end + by };
}
