// Names that are declared volatile, or are shared memory: what the threads of a block use to talk to each other.
import type { Token } from '../../../src/kernel/tokens.js';
import { statementStart, type DeviceBody } from './scopes.js';

export interface SpokenNames {
  /** Pointers and arrays of volatile elements, and volatile variables. */
  volatiles: ReadonlySet<string>;
  /** Shared variables. */
  shared: ReadonlySet<string>;
}

/** For each body the names declared in it or its parameters, and those that no body declares. */
export function spokenNames(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  bodies: readonly DeviceBody[],
): Map<DeviceBody, SpokenNames> {
  const ranges = bodies.map((body) => ({ body, from: statementStart(tokens, partners, body.open), to: body.close }));
  const found: { name: string; at: number; isVolatile: boolean }[] = [];
  tokens.forEach((token, at) => {
    if (token.text !== 'volatile' && token.text !== '__shared__') return;
    const before = tokens.slice(statementStart(tokens, partners, at), at);
    const isVolatile = token.text === 'volatile' || before.some((t) => t.text === 'volatile');
    for (const name of declared(tokens, partners, at)) found.push({ name, at, isVolatile });
  });
  const isIn = (at: number, r: { from: number; to: number }): boolean => at >= r.from && at < r.to;
  return new Map(
    ranges.map((range) => {
      const own = found.filter(({ at }) => isIn(at, range) || !ranges.some((r) => isIn(at, r)));
      const named = (isVolatile: boolean): Set<string> =>
        new Set(own.filter((n) => n.isVolatile === isVolatile).map((n) => n.name));
      return [range.body, { volatiles: named(true), shared: named(false) }];
    }),
  );
}

/** The names declared from a specifier on: those directly before `[ = ; , )`. None for a cast, whose last word is a type. */
function declared(tokens: readonly Token[], partners: ReadonlyMap<number, number>, at: number): string[] {
  const names: string[] = [];
  let words = 0;
  for (let i = at + 1; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.text === '(' || token.text === '[') i = partners.get(i) ?? i;
    else if (/^[;{})]$/.test(token.text)) break;
    else if (token.kind === 'name') {
      words++;
      // `volatile float` alone is a type; a declaration has a name behind it.
      const isDeclarator = /^[[=;,){]$/.test(tokens[i + 1]?.text ?? '');
      if (isDeclarator && (words > 1 || /^[*&]$/.test(tokens[i - 1]?.text ?? ''))) names.push(token.text);
    } else if (token.text === ',' && tokens[i + 1]?.kind === 'name') {
      // A comma before a type: the next parameter, not the next declarator.
      if (tokens[i + 2]?.kind === 'name' || /^(?:[*&<]|::)$/.test(tokens[i + 2]?.text ?? '')) break;
    }
  }
  return names;
}
