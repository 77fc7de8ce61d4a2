// Markup in which every text is escaped unless it is markup itself: the only way that text gets into the report.
import { stripVTControlCharacters } from 'node:util';

/** Text that is markup already. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Part = Markup | string | number | undefined | readonly Part[];

/** Markup from a template: its literals stand as written, whatever is put in is escaped. Quote every attribute. */
export function markup(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(literals.map((literal, i) => literal + (i < parts.length ? render(parts[i]) : '')).join(''));
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escaped(String(part));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escaped(text: string): string {
  return visible(text).replace(/[&<>"'`]/g, (c) => ENTITIES[c] ?? c);
}

// Controls but tab and line end; marks that reorder or hide text, tags among them; halves of pairs; what is no character.
const HIDDEN =
  /[^\P{Cc}\t\n]|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff]|[\ud800-\udfff]|[\u{e0000}-\u{e0fff}]/gu;

/** The same text with what cannot be seen shown by its number, so that a change which hides in it does not. */
export function visible(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, (c) => `⟨U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** The start of a text that is too long, and how much of it is missing. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… (${text.length - limit} more characters are left out)`;
}

/** A time without which the reader's clock would have to be known: `2026-01-01 12:00 UTC`. */
export function instant(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'unknown' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
