// Warp-synchronous code of the time before Volta: lanes read what other lanes of their warp have written in the statement before,
// without __syncwarp. `s[t] += s[t + 32];` becomes `s[t] = ::ks::lockstep(s[t] + (s[t + 32])), ::ks::lockstep();`, so that
// the lanes that are there all read before any writes, and all write before any goes on: the order such code was written for.
import type { Token } from '../../../src/kernel/tokens.js';
import type { Edit } from './edits.js';
import type { DeviceBody } from './scopes.js';
import type { SpokenNames } from './volatile-names.js';

export interface Lockstep {
  edits: Edit[];
  /** Offsets of the first statement of each run of such statements. */
  starts: number[];
}

interface Exchange {
  /** The name of the array. */
  base: string;
  from: number;
  /** Index of the assignment's token. */
  operator: number;
  /** Index of the semicolon. */
  end: number;
}

export function rewriteLockstep(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  bodies: readonly DeviceBody[],
  spoken: ReadonlyMap<DeviceBody, SpokenNames>,
): Lockstep {
  const result: Lockstep = { edits: [], starts: [] };
  for (const body of bodies) {
    const { volatiles, shared } = spoken.get(body) ?? { volatiles: new Set(), shared: new Set() };
    const exchanges = exchangesOf(tokens, partners, body).filter((e) => volatiles.has(e.base) || shared.has(e.base));
    let last: Exchange | undefined;
    exchanges.forEach((e, i) => {
      const next = exchanges[i + 1];
      const follows = last !== undefined && isAdjacent(tokens, partners, last, e);
      const isFollowed = next !== undefined && isAdjacent(tokens, partners, e, next);
      let after = e.end + 1;
      while (tokens[after]?.text === '}') after++;
      const isSynchronised = SYNCHRONISES.test(tokens[after]?.text ?? '');
      last = e;
      if (isSynchronised || !(follows || isFollowed || volatiles.has(e.base))) return;
      if (!follows) result.starts.push(tokens[e.from]!.start);
      result.edits.push(...edit(tokens, e));
    });
  }
  return result;
}

/** A barrier, or a group's. */
const SYNCHRONISES = /^(?:__sync\w+|\w*(?:group|block|tile|warp|cta)\w*|cg|sync)$/;

function edit(tokens: readonly Token[], { from, operator, end }: Exchange): Edit[] {
  const sign = tokens[operator]!;
  const target = words(tokens, from, operator);
  const isPlain = sign.text === '=';
  const head = isPlain ? '= ::ks::lockstep(' : `= ::ks::lockstep(${target} ${sign.text.slice(0, -1)} (`;
  const stop = tokens[end]!.start;
  return [
    { start: sign.start, end: sign.end, text: head },
    { start: stop, end: stop, text: isPlain ? '), ::ks::lockstep()' : ')), ::ks::lockstep()' },
  ];
}

/** Statements `a[i] = …a[j]…;` and `a[i] op= …a[j]…;` with another index on the right. */
function exchangesOf(tokens: readonly Token[], partners: ReadonlyMap<number, number>, body: DeviceBody): Exchange[] {
  const found: Exchange[] = [];
  for (let i = body.open + 1; i < body.close; i++) {
    if (tokens[i]?.kind !== 'name' || tokens[i + 1]?.text !== '[' || !startsStatement(tokens, partners, i)) continue;
    let close = i;
    while (tokens[close + 1]?.text === '[') close = partners.get(close + 1) ?? body.close;
    const operator = close + 1;
    if (!/^(?:=|[-+*/%&|^]=)$/.test(tokens[operator]?.text ?? '')) continue;
    const end = statementEnd(tokens, partners, operator, body.close);
    if (end === undefined) continue;
    const base = tokens[i]!.text;
    const own = words(tokens, i + 1, close + 1);
    if (readsElsewhere(tokens, partners, base, own, operator, end)) found.push({ base, from: i, operator, end });
    i = end;
  }
  return found;
}

function readsElsewhere(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  base: string,
  own: string,
  operator: number,
  end: number,
): boolean {
  for (let i = operator + 1; i < end; i++) {
    if (tokens[i]?.text !== base || tokens[i + 1]?.text !== '[') continue;
    let close = i;
    while (tokens[close + 1]?.text === '[') close = partners.get(close + 1) ?? end;
    if (words(tokens, i + 1, close + 1) !== own) return true;
  }
  return false;
}

const words = (tokens: readonly Token[], from: number, to: number): string =>
  tokens
    .slice(from, to)
    .map((t) => t.text)
    .join(' ');

function startsStatement(tokens: readonly Token[], partners: ReadonlyMap<number, number>, at: number): boolean {
  const before = tokens[at - 1]?.text ?? '';
  if (/^(?:[;{}]|else|do)$/.test(before)) return true;
  // `if (…) a[i] += …;`, `for (…) a[i] += …;`
  const open = before === ')' ? partners.get(at - 1) : undefined;
  return open !== undefined && /^(?:if|for|while|constexpr)$/.test(tokens[open - 1]?.text ?? '');
}

/** The semicolon; undefined where a comma at the top makes it more than one expression. */
function statementEnd(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  from: number,
  limit: number,
): number | undefined {
  for (let i = from; i < limit; i++) {
    const text = tokens[i]!.text;
    if (text === ';') return i;
    if (text === ',' || text === '}') return undefined;
    const partner = partners.get(i);
    if (partner !== undefined && partner > i) i = partner;
  }
  return undefined;
}

/** True if nothing but the head of a condition stands between two of them. */
function isAdjacent(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  first: Exchange,
  second: Exchange,
): boolean {
  if (first.base !== second.base) return false;
  for (let i = first.end + 1; i < second.from; i++) {
    const text = tokens[i]!.text;
    if (text === '(') i = partners.get(i) ?? i;
    else if (!/^(?:if|else|constexpr|[{}])$/.test(text)) return false;
  }
  return true;
}
