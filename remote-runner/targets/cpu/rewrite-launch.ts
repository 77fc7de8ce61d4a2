// One launch: `k<T><<<g, b, s, st>>>(x, 0)` → `::ks::kernel([&](auto&& ks_0, auto) { k<T>(ks_0, 0); }).on(g, b, s, st)(x, 0)`.
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
  const edits: Edit[] = [];
  let parameters = 'auto&&... ks_a';
  let passed = 'ks_a...';
  if (!isPack) {
    const inline = args.map((a) => LITERAL.test(a.text) || a.text.startsWith('{'));
    parameters = args.map((_, i) => (inline[i] ? 'auto' : `auto&& ks_${i}`)).join(', ');
    passed = args.map((a, i) => (inline[i] ? oneLine(tokenize(a.text)) : `ks_${i}`)).join(', ');
    args.forEach(({ text: argument, range }, i) => {
      if (!inline[i] || LITERAL.test(argument)) return;
      // The braced list has moved; its line breaks stay, so that the lines after it keep their numbers.
      edits.push({ start: range.startIndex, end: range.endIndex, text: '0' + argument.replace(/[^\r\n]/g, '') });
    });
  }
  const calleeStart = pastedStart(tokens, launch.calleeRange.startIndex);
  edits.push(
    { start: calleeStart, end: calleeStart, text: `::ks::kernel([&](${parameters}) { ` },
    { start: configRange.startIndex, end: configRange.startIndex + 3, text: `(${passed}); }).on(` },
    { start: configRange.endIndex - 3, end: configRange.endIndex, text: ')' },
  );
  return edits;
}

/** In a macro the name of a kernel may be pasted together: `name ## _kernel<<<…`. */
function pastedStart(tokens: readonly Token[], start: number): number {
  let at = tokens.findIndex((t) => t.start === start);
  while (at >= 2 && tokens[at - 1]?.text === '##') at -= 2;
  return tokens[at]?.start ?? start;
}
