// What the state of a session says about which questions make sense.
import { expect, test } from 'vitest';
import { sampleTrace, verdictWith } from '../../test/support/sample-trace.js';
import type { TraceEvent, TraceEventBody } from '../session/events.js';
import { fold } from '../session/fold.js';
import { levelsLeft, standingOf } from './standing.js';

const around = { scenarios: 1, hasWork: false, hasProfile: false };
const standing = (bodies: readonly TraceEventBody[], given = around) => {
  const state = fold(bodies.map((body, i): TraceEvent => ({ ...body, seq: i + 1, at: i })));
  if (!state) throw new Error('an empty trace');
  return standingOf(state, given);
};
const all = sampleTrace();
const start = all.slice(0, 3);

test('needs are met by what is on the trace, and by what surrounds it', () => {
  expect([...standing(start).has]).toEqual([]);
  expect([...standing(start, { scenarios: 2, hasWork: true, hasProfile: true }).has]).toEqual([
    'scenarios',
    'work',
    'profile',
  ]);
  expect([...standing(all.slice(0, 9)).has]).toEqual(['candidate', 'best']);
  expect([...standing(all).has]).toEqual(['candidate', 'best', 'failure']);
  const claim: TraceEventBody = { type: 'claim', id: 'l1', text: 'x', evidence: 'y' };
  expect(standing([...start, claim]).has.has('claim')).toBe(true);
});

test('a machine that failed is no failure of the candidate', () => {
  const lost: TraceEventBody = {
    type: 'verdict',
    candidate: 'c1',
    verdict: verdictWith({ status: 'infrastructure' }),
  };
  expect(standing([...all.slice(0, 6), lost]).has.has('failure')).toBe(false);
});

test('a question is stale once a new best came; levels count when a measured candidate changed them', () => {
  const candidate = all[5];
  if (candidate?.type !== 'candidate') throw new Error('the sample trace is another');
  const ask: TraceEventBody[] = [
    { type: 'moment', id: 'm1', kind: 'opening', evidence: 'x', asked: true, offered: ['byte-twice'] },
    {
      type: 'question',
      id: 'q1',
      moment: 'm1',
      known: 'byte-twice',
      text: 'x?',
      level: 'data-movement',
      by: 'human',
      informed: false,
    },
    { type: 'prompt', text: 'x?', moment: 'm1' },
  ];
  const asked = [...start, ...ask, { ...candidate, levels: ['launch' as const] }];
  const before = standing(asked);
  expect(before.asked).toEqual([{ question: 'byte-twice', level: 'data-movement', moment: 'opening', isStale: false }]);
  expect(before.visited.size).toBe(0);
  const after = standing([...asked, ...all.slice(6, 9)]);
  expect(after.asked).toMatchObject([{ isStale: true }]);
  expect([...after.visited]).toEqual(['launch']);
  expect(levelsLeft(after)).toHaveLength(8);
});
