// Where a token stands: the braces around it and what their heads say. Enough to tell namespaces, functions and templates apart
// without a grammar, so that code a parser cannot read is still rewritten.
import type { Token } from '../../../src/kernel/tokens.js';

export interface Scope {
  /** Tokens before the brace, back to the statement before: `template < class T > __global__ void k ( T * o )`. */
  head: string[];
  /** False for namespaces and linkage blocks. */
  isBlock: boolean;
}

/** The index after the last `;`, `{` or `}` before a token; bracketed groups are stepped over. */
export function statementStart(tokens: readonly Token[], partners: ReadonlyMap<number, number>, at: number): number {
  for (let i = at - 1; i >= 0; i--) {
    const text = tokens[i]?.text;
    if (text === ';' || text === '{' || text === '}') return i + 1;
    const partner = partners.get(i);
    if (partner !== undefined) {
      if (partner > i) return i + 1;
      i = partner;
    }
  }
  return 0;
}

/** The braces around a token, outermost first. */
export function scopesAround(tokens: readonly Token[], partners: ReadonlyMap<number, number>, at: number): Scope[] {
  const scopes: Scope[] = [];
  for (let i = at - 1; i >= 0; i--) {
    const partner = partners.get(i);
    if (partner !== undefined && partner < i) {
      i = partner;
      continue;
    }
    if (tokens[i]?.text !== '{' || tokens[i]?.kind !== 'mark') continue;
    const head = tokens.slice(statementStart(tokens, partners, i), i).map((t) => t.text);
    const isBlock = !head.includes('namespace') && !(head.length <= 2 && head[0] === 'extern');
    scopes.unshift({ head, isBlock });
  }
  return scopes;
}

/** True inside a function that only runs on the device. */
export function isDeviceCode(scopes: readonly Scope[]): boolean {
  const outer = scopes.find((s) => s.isBlock);
  if (!outer) return false;
  return outer.head.includes('__global__') || (outer.head.includes('__device__') && !outer.head.includes('__host__'));
}
