// Kernels cast to void*: `(void*)k`, `reinterpret_cast<const void*>(&k)`. The cast takes away the type by which this target launches a
// kernel, so the address goes through a function that remembers it.
import type { Token } from '../../../src/kernel/tokens.js';
import type { Edit } from './edits.js';
import type { JobNames } from './job-names.js';

export function rewriteAddresses(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  names: JobNames,
): Edit[] {
  const edits: Edit[] = [];
  tokens.forEach((token, at) => {
    if (token.text === '(' && isVoidPointer(tokens, at + 1, partners.get(at))) {
      const close = partners.get(at)!;
      // The first argument of a launch by address, in a macro too: the function has a form that knows the type.
      if (tokens[at - 1]?.text === '(' && tokens[at - 2]?.text === 'cudaLaunchKernel') {
        edits.push({ start: token.start, end: tokens[close]!.end, text: '' });
        return;
      }
      const end = kernelEnd(tokens, close + 1, names);
      if (end === undefined) return;
      edits.push(
        { start: token.start, end: tokens[close]!.end, text: '::ks_erased(' },
        { start: tokens[end]!.end, end: tokens[end]!.end, text: ')' },
      );
    }
    if (!/^(?:reinterpret|static)_cast$/.test(token.text) || tokens[at + 1]?.text !== '<') return;
    const open = tokens.findIndex((t, i) => i > at && t.text === '(');
    if (open < 0 || tokens[open - 1]?.text !== '>' || !isVoidPointer(tokens, at + 2, open - 1)) return;
    if (kernelEnd(tokens, open + 1, names) !== undefined)
      edits.push({ start: token.start, end: tokens[open - 1]!.end, text: '::ks_erased' });
  });
  return edits;
}

function isVoidPointer(tokens: readonly Token[], from: number, to: number | undefined): boolean {
  if (to === undefined || to - from > 4) return false;
  const words = tokens.slice(from, to).map((t) => t.text);
  return /^(const )?void( const)? \*$/.test(words.join(' '));
}

/** The last token of a kernel's name from `at` on, with its template arguments; undefined for any other expression. */
function kernelEnd(tokens: readonly Token[], at: number, names: JobNames): number | undefined {
  let last = tokens[at]?.text === '&' ? at + 1 : at;
  if (tokens[last]?.text === '::') last++;
  while (tokens[last + 1]?.text === '::' && tokens[last + 2]?.kind === 'name') last += 2;
  if (!names.kernels.has(tokens[last]?.text ?? '')) return undefined;
  if (tokens[last + 1]?.text !== '<') return tokens[last + 1]?.text === '(' ? undefined : last;
  let depth = 0;
  for (let i = last + 1; i < tokens.length && !/^[;{}]$/.test(tokens[i]!.text); i++) {
    if (tokens[i]!.text === '<') depth++;
    else if (tokens[i]!.text === '>' && --depth === 0) return i;
  }
  return undefined;
}
