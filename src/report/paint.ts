// Colours, where the reader can see them: on a terminal, unless NO_COLOR or FORCE_COLOR say otherwise.
import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

export const noPaint: Paint = (_style, text) => text;

/** See no-color.org and force-color.org: NO_COLOR counts when it is not empty, FORCE_COLOR when it is not `0`. */
export function paintFor(stream: { isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): Paint {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = env;
  const on = no ? false : force !== undefined ? force !== '0' && force !== 'false' : stream.isTTY && term !== 'dumb';
  if (!on) return noPaint;
  // The decision was just made: newer versions of Node would make it again, for standard output only.
  return (style, text) => styleText(style, text, { validateStream: false });
}
