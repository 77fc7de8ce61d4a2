// Names that are declared volatile, or are shared memory: what the threads of a block use to talk to each other.
import type { Token } from '../../../src/kernel/tokens.js';
import { statementStart } from './scopes.js';

export interface SpokenNames {
  /** Pointers and arrays of volatile elements, and volatile variables. */
  volatiles: ReadonlySet<string>;
  /** Shared variables. */
  shared: ReadonlySet<string>;
}

export function spokenNames(tokens: readonly Token[], partners: ReadonlyMap<number, number>): SpokenNames {
  const volatiles = new Set<string>();
  const shared = new Set<string>();
  tokens.forEach((token, at) => {
    if (token.text === 'volatile') for (const name of declared(tokens, partners, at)) volatiles.add(name);
    if (token.text !== '__shared__') return;
    const isVolatile = tokens.slice(statementStart(tokens, partners, at), at).some((t) => t.text === 'volatile');
    for (const name of declared(tokens, partners, at)) (isVolatile ? volatiles : shared).add(name);
  });
  return { volatiles, shared };
}

/** The names declared from a specifier on: those directly before `[ = ; , )`. None for a cast, whose last word is a type. */
function declared(tokens: readonly Token[], partners: ReadonlyMap<number, number>, at: number): string[] {
  const names: string[] = [];
  let words = 0;
  for (let i = at + 1; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.text === '(') i = partners.get(i) ?? i;
    else if (/^[;{})]$/.test(token.text)) break;
    else if (token.kind === 'name') {
      words++;
      // `volatile float` alone is a type; a declaration has a name behind it.
      if (/^[[=;,){]$/.test(tokens[i + 1]?.text ?? '') && (words > 1 || /^[*&]$/.test(tokens[i - 1]?.text ?? '')))
        names.push(token.text);
    } else if (token.text === '[') i = partners.get(i) ?? i;
    else if (token.text === ',' && tokens[i + 1]?.kind === 'name' && /^[*&]|^\w/.test(tokens[i + 2]?.text ?? '')) {
      // A comma before a type: the next parameter, not the next declarator.
      if (tokens[i + 2]?.kind === 'name' || /^[*&:]/.test(tokens[i + 2]?.text ?? '')) break;
    }
  }
  return names;
}
