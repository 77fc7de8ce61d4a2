// How numbers and untrusted text look in what the agent reads.
import type { Ratio, WireNumber } from '../../../remote-runner/protocol.js';

/** Untrusted text between marks that it cannot close itself. */
export function data(text: string, source?: string): string {
  const safe = text.replace(/<(?=\/?data\b)/gi, '<\u200b');
  const from = source === undefined ? '' : ` source="${source.replace(/[^\w./+ -]/g, '_')}"`;
  return text.includes('\n') ? `<data${from}>\n${safe}\n</data>` : `<data${from}>${safe}</data>`;
}

/** `1.42× [1.38, 1.47]` */
export function speedupText({ value, low, high }: Ratio): string {
  return `${value.toFixed(3)}× [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}

export function numberText(value: WireNumber): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(6))) : value;
}

/** The end of a long text, where the news is. */
export function tail(text: string, limit: number): string {
  return text.length <= limit ? text : `…${text.slice(-limit)}`;
}
