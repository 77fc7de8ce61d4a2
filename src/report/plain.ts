// Text from candidates, tools and servers, made safe to show in a terminal.
import { stripVTControlCharacters } from 'node:util';

// C0 except tab and newline, DEL, C1; then marks that reorder or hide text, and the separators some terminals break at.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Escape sequences, control characters and direction marks removed; line ends become `\n`. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(CONTROL, '')
    .replace(INVISIBLE, '')
    .replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/** The same on one line, with runs of white space as one space, cut to `limit` characters. */
export function plainLine(text: string, limit = 2000): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** One JSON document that is safe to print on a terminal too: what JSON.stringify leaves raw is escaped. */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
