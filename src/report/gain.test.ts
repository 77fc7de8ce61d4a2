// What is called best, in the terminal and in the editor: only what was confirmed, and never by the middle of its interval.
import { expect, test } from 'vitest';
import { sampleTrace, verdictWith } from '../../test/support/sample-trace.js';
import type { TraceEvent, TraceEventBody } from '../session/events.js';
import { fold } from '../session/fold.js';
import { gainInFull, gainOf, gainText } from './gain.js';

function gainAfter(...bodies: TraceEventBody[]) {
  const events = [...sampleTrace().slice(0, 3), sampleTrace()[5], ...bodies];
  const state = fold(events.map((body, i) => ({ ...body, seq: i + 1, at: i }) as TraceEvent));
  return state && gainOf(state);
}
const first = (value: number, low: number, high: number): TraceEventBody => ({
  type: 'verdict',
  candidate: 'c1',
  verdict: verdictWith({ value, low, high }),
});

test('a confirmed candidate is the best, and its low end comes first', () => {
  const confirmed = verdictWith({ value: 8.63, low: 2.8, high: 26.59, mode: 'confirm', faster: true });
  const gain = gainAfter(
    first(9, 8, 10),
    { type: 'verdict', candidate: 'c1', verdict: confirmed },
    { type: 'incumbent', candidate: 'c1' },
  );
  expect(gain && gainText(gain)).toBe('best: at least 2.80× (CPU emulation)');
  expect(gain && gainInFull(gain)).toBe('best: at least 2.80× (8.63× [2.80, 26.59]) (CPU emulation)');
});

test('what was not confirmed is a candidate, and says so; what cannot be told from the original is nothing', () => {
  const gain = gainAfter(first(1.22, 1.12, 1.4));
  expect(gain && gainText(gain)).toBe('candidate c1, not confirmed: 1.22× (CPU emulation)');
  expect(gain && gainInFull(gain)).toBe('candidate c1, not confirmed: 1.22× [1.12, 1.40] (CPU emulation)');
  expect(gainAfter(first(1.22, 0.98, 1.5))).toBeUndefined();
  expect(gainAfter()).toBeUndefined();
});
