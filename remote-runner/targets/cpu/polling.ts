// Loops that wait for another thread: `while (*flag == 0);`. Threads are not preempted here, so each turn of such a loop must let
// others run; and one that can never end is told from one that may.
import type { Token } from '../../../src/kernel/tokens.js';
import type { Edit } from './edits.js';
import type { DeviceBody } from './scopes.js';
import type { SpokenNames } from './volatile-names.js';

export function rewritePolling(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  bodies: readonly DeviceBody[],
  spoken: ReadonlyMap<DeviceBody, SpokenNames>,
): Edit[] {
  const edits: Edit[] = [];
  for (const body of bodies) {
    const volatiles = spoken.get(body)?.volatiles ?? new Set();
    const asks = (from: number, to: number): boolean =>
      tokens.slice(from, to).some((t) => t.text === 'volatile' || volatiles.has(t.text) || ASKS.test(t.text));
    for (let i = body.open + 1; i < body.close; i++) {
      const word = tokens[i]!.text;
      const open = i + 1;
      const close = tokens[open]?.text === '(' ? partners.get(open) : undefined;
      if (!/^(?:while|for)$/.test(word) || close === undefined) {
        if (word === 'do' && tokens[open]?.text === '{') {
          const end = partners.get(open);
          if (end !== undefined && tokens[end + 1]?.text === 'while' && asks(end + 2, partners.get(end + 2) ?? end + 2))
            edits.push(insert(tokens[open]!.end, ' ::ks::poll();'));
        }
        continue;
      }
      const after = tokens[close + 1];
      const isTail = word === 'while' && endsDo(tokens, partners, i);
      if (isTail || after === undefined) continue;
      const isEmpty = after.text === ';' || (after.text === '{' && partners.get(close + 1) === close + 2);
      const start = word === 'while' ? open + 1 : conditionStart(tokens, partners, open, close);
      if (isEmpty && asks(start, close)) {
        // As a `for` it has a place for what counts its turns.
        if (word === 'while')
          edits.push(
            { start: tokens[i]!.start, end: tokens[open]!.end, text: 'for (::ks::Spin ks_spin; ' },
            insert(tokens[close]!.start, '; ks_spin()'),
          );
        else
          edits.push(after.text === ';' ? insert(after.start, ' ::ks::poll()') : insert(after.end, ' ::ks::poll(); '));
      } else if (after.text === '{') {
        const end = partners.get(close + 1) ?? close + 1;
        const isEndless =
          word === 'while'
            ? /^(?:true|1)$/.test(tokens[open + 1]?.text ?? '') && close === open + 2
            : close === open + 3;
        if (asks(start, close) || (isEndless && asks(close + 1, end))) edits.push(insert(after.end, ' ::ks::poll();'));
      }
    }
  }
  return edits;
}

/** Functions that read what others write; most of them let others run by themselves, but not soon enough to be told apart. */
const ASKS = /^(?:atomic\w+|__ldcg|__ldcv|__ldvolatile|load|test)$/;

const insert = (at: number, text: string): Edit => ({ start: at, end: at, text });

function endsDo(tokens: readonly Token[], partners: ReadonlyMap<number, number>, at: number): boolean {
  const open = tokens[at - 1]?.text === '}' ? partners.get(at - 1) : undefined;
  return open !== undefined && tokens[open - 1]?.text === 'do';
}

function conditionStart(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  open: number,
  close: number,
): number {
  for (let i = open + 1; i < close; i++) {
    if (tokens[i]?.text === ';') return i + 1;
    const partner = partners.get(i);
    if (partner !== undefined && partner > i) i = partner;
  }
  return close;
}
