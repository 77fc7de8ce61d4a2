// One launch: `k<T><<<g, b, s, st>>>(x, 0)` →
// `::ks_kernel([=](auto&& ks_0, auto) { k<T>(ks_0, 0); }, KS_KERNEL(k<T>)).ks_on(g, b, s, st)(x, 0)`.
// The lambda resolves overloads, template and default arguments; the arguments themselves are evaluated once, by the host.
import type { Macro } from '../../../src/kernel/preprocess.js';
import { tokenize, type Token } from '../../../src/kernel/tokens.js';
import type { Launch } from '../../../src/kernel/types.js';
import { oneLine, type Edit } from './edits.js';

/** Literals and braced lists lose their meaning as parameters of type `auto`: they stand in the lambda itself. */
const LITERAL = /^(?:[-+]?[.\d][\w.']*|nullptr|NULL|true|false)$/;

export function rewriteLaunch(tokens: readonly Token[], launch: Launch, macro: Macro | undefined): Edit[] {
  const { arguments: args, configRange } = launch;
  const variadic = macro?.parameters?.find((p) => p.endsWith('...'))?.replace(/\s*\.\.\.$/, '') || '__VA_ARGS__';
  const isPack = args.some((a) => a.text.endsWith('...') || (macro && new RegExp(`\\b${variadic}\\b`).test(a.text)));
  const isBraced = (text: string): boolean => text.startsWith('{');
  const edits: Edit[] = [];
  let parameters = 'auto&&... ks_a';
  let passed = 'ks_a...';
  if (!isPack) {
    const inline = args.map((a) => LITERAL.test(a.text) || isBraced(a.text));
    parameters = args.map((_, i) => (inline[i] ? 'auto' : `auto&& ks_${i}`)).join(', ');
    passed = args.map((a, i) => (inline[i] ? oneLine(tokenize(a.text)) : `ks_${i}`)).join(', ');
    for (const { text: argument, range } of args) {
      if (!isBraced(argument)) continue;
      // The list has moved; its line breaks stay, so that the lines after it keep their numbers.
      const breaks = argument.replace(/[^\r\n]/g, '');
      edits.push({ start: range.startIndex, end: range.endIndex, text: `::ks_braced{}${breaks}` });
    }
  }
  const callee = calleeTokens(tokens, launch);
  const start = callee[0]?.start ?? launch.calleeRange.startIndex;
  // A name is a function, or a pointer that may be copied; anything else, and a braced list, refers to its surroundings.
  const isName = callee.every(
    (t, i) => t.kind === 'name' || t.text === '::' || t.text === '##' || isTemplateList(callee, i),
  );
  const isOwn = isName && !args.some((a) => isBraced(a.text));
  const [make, capture] = isOwn ? ['ks_kernel', '[=]'] : ['ks_kernel_here', '[&]'];
  edits.push(
    { start, end: start, text: `::${make}(${capture}(${parameters}) { ` },
    {
      start: configRange.startIndex,
      end: configRange.startIndex + 3,
      text: `(${passed}); }, KS_KERNEL(${oneLine(callee)})).ks_on(`,
    },
    { start: configRange.endIndex - 3, end: configRange.endIndex, text: ')' },
  );
  return edits;
}

/** The callee with all that a macro pastes to it: `name ## _kernel<<<…`. */
function calleeTokens(tokens: readonly Token[], { calleeRange, configRange }: Launch): Token[] {
  let at = tokens.findIndex((t) => t.start === calleeRange.startIndex);
  const end = tokens.findIndex((t) => t.start === configRange.startIndex);
  while (at >= 2 && tokens[at - 1]?.text === '##') at -= 2;
  return at < 0 ? [] : tokens.slice(at, end);
}

/** True from the first `<` on. */
function isTemplateList(callee: readonly Token[], at: number): boolean {
  return callee.slice(0, at + 1).some((t) => t.text === '<');
}
