// How numbers and untrusted text look in what the agent reads.
import { createHash } from 'node:crypto';
import type { Ratio, WireNumber } from '../../../remote-runner/protocol.js';

/** Puts untrusted text between marks. @param source file it comes from */
export type Quote = (text: string, source?: string) => string;

/**
 * Name of a session's marks. Nobody who wrote a file or a kernel can know it, so what stands between them can hold any
 * text unchanged; it is a function of the trace, so that a resumed session keeps it.
 */
export function markOf(state: { session: string; seed: number }): string {
  const hash = createHash('sha256').update(`marks of ${state.session} ${state.seed}`).digest('hex');
  return `data-${hash.slice(0, 12)}`;
}

export function quoteWith(mark: string): Quote {
  return (text, source) => {
    // Only the agent itself could have written the mark into a file.
    const safe = text.replaceAll(mark, 'data');
    const from = source === undefined ? '' : ` source="${source.replace(/[^\w./+ -]/g, '_')}"`;
    return text.includes('\n') ? `<${mark}${from}>\n${safe}\n</${mark}>` : `<${mark}${from}>${safe}</${mark}>`;
  };
}

/** `1.42× [1.38, 1.47]`, with as many digits as the interval bears out, and enough that 1 is never shown for what is not. */
export function speedupText({ value, low, high }: Ratio): string {
  const spread = Math.max(high - low, 1e-9) / 20;
  let digits = Math.min(3, Math.max(0, Math.ceil(-Math.log10(spread))));
  const shownAsOne = (n: number): boolean => n !== 1 && Number(n.toFixed(digits)) === 1;
  while (digits < 3 && (shownAsOne(low) || shownAsOne(high))) digits += 1;
  return `${value.toFixed(digits)}× [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
}

export function numberText(value: WireNumber): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(6))) : value;
}

/** `1 evaluation`, `2 evaluations` */
export function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** The end of a long text, where the news is: whole lines, repeated ones told once with their number. */
export function tail(text: string, limit: number): string {
  const folded: { line: string; times: number }[] = [];
  for (const line of text.split('\n')) {
    const last = folded.at(-1);
    if (last?.line === line) last.times += 1;
    else folded.push({ line, times: 1 });
  }
  const kept: string[] = [];
  let length = 0;
  for (const { line, times } of folded.reverse()) {
    const shown = times === 1 ? line : `${line} (${times} times)`;
    length += shown.length + 1;
    if (length > limit) {
      // A last line longer than all there is room for: its end.
      kept.push(kept.length === 0 ? `…${shown.slice(-limit)}` : '…');
      break;
    }
    kept.push(shown);
  }
  return kept.reverse().join('\n');
}
