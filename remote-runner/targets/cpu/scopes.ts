// Where a token stands: the braces around it and what their heads say. Enough to tell namespaces, functions and templates apart
// without a grammar, so that code a parser cannot read is still rewritten.
import type { Token } from '../../../src/kernel/tokens.js';
import { standsFor, type JobNames } from './job-names.js';

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

/** For each token whether it stands in the body of a function, class or anything else but namespaces and linkage blocks. */
export function insideBlocks(tokens: readonly Token[], partners: ReadonlyMap<number, number>): boolean[] {
  const inside: boolean[] = [];
  for (let i = 0; i < tokens.length; i++) {
    inside[i] = false;
    const close = partners.get(i);
    if (tokens[i]?.text !== '{' || tokens[i]?.kind !== 'mark' || close === undefined || close < i) continue;
    const head = tokens.slice(statementStart(tokens, partners, i), i).map((t) => t.text);
    if (head.includes('namespace') || (head.length <= 2 && head[0] === 'extern')) continue;
    for (i++; i < close; i++) inside[i] = true;
    inside[close] = false;
  }
  return inside;
}

const DEVICE = new Set(['__global__', '__device__']);
const HOST = new Set(['__host__']);

/** A stretch of a file, by offsets, that is the body of a function for the device, with the indices of its braces. */
export interface DeviceBody {
  start: number;
  end: number;
  open: number;
  close: number;
  /** It is for the host as well. */
  isHostToo: boolean;
}

/** Bodies of functions and lambdas for the device, outermost ones only, in the order of the text. */
export function deviceBodies(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  names: JobNames,
): DeviceBody[] {
  const bodies: DeviceBody[] = [];
  for (let open = 0; open < tokens.length; open++) {
    const close = partners.get(open);
    if (tokens[open]?.text !== '{' || tokens[open]?.kind !== 'mark' || close === undefined) continue;
    const head = functionHead(tokens, partners, open);
    if (!standsFor(head, DEVICE, names)) continue;
    const isHostToo = standsFor(head, HOST, names);
    bodies.push({ start: tokens[open]!.start, end: tokens[close]?.end ?? 0, open, close, isHostToo });
    open = close;
  }
  return bodies;
}

/** The words before a brace that may say where a function runs; none where the brace opens something else. */
function functionHead(tokens: readonly Token[], partners: ReadonlyMap<number, number>, open: number): string[] {
  let first = statementStart(tokens, partners, open);
  // `k<<<…>>>([=] __device__ (int i) {…})`: only the lambda's own words count, from its `[` on.
  for (let i = open - 1; i >= first; i--) {
    const partner = partners.get(i);
    if (partner === undefined || partner > i) continue;
    if (tokens[i]?.text === ']' && tokens[partner]?.text === '[' && isLambdaStart(tokens[partner - 1])) {
      first = partner;
      break;
    }
    i = partner;
  }
  const head = tokens.slice(first, open).map((t) => t.text);
  return /^(?:struct|class|union|enum|namespace)$/.test(head[0] ?? '') ? [] : head;
}

function isLambdaStart(before: Token | undefined): boolean {
  return before === undefined || (before.kind === 'mark' && !/^[\])]$/.test(before.text)) || before.text === 'return';
}
