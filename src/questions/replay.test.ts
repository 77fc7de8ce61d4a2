// A session's offers can be made again from its trace alone: seed, credit it began with, and the events before each moment.
import { expect, test } from 'vitest';
import { sampleTrace, verdictWith } from '../../test/support/sample-trace.js';
import { RandomSource } from '../search/random-source.js';
import type { TraceEvent, TraceEventBody } from '../session/events.js';
import { fold, type SessionState } from '../session/fold.js';
import { creditOf, talliesOf } from './credit.js';
import { offer, type Offer } from './pick.js';
import { shippedQuestions } from './repertoire.js';
import { standingOf } from './standing.js';
import { LEVELS, type MomentKind, type Tally } from './types.js';

const questions = shippedQuestions();

/** What a session does at a moment. */
function offerAt(state: SessionState, kind: MomentKind): Offer {
  return offer({
    questions,
    moment: { kind },
    number: state.moments.length + 1,
    standing: standingOf(state, { scenarios: 2, hasWork: true, hasProfile: false }),
    tallies: [...(state.credit ?? []), ...talliesOf(creditOf(state))],
    seed: state.seed,
  });
}

const numbered = (bodies: readonly TraceEventBody[]): TraceEvent[] =>
  bodies.map((body, i) => ({ ...body, seq: i + 1, at: i }));

/** A trace of forty moments at which whatever leads is asked; every third candidate is a new best. */
function session(seed: number, credit: Tally[]): TraceEventBody[] {
  const random = new RandomSource(seed);
  const [started, runner, baseline] = sampleTrace();
  if (started?.type !== 'started' || !runner || !baseline) throw new Error('the sample trace is another');
  const events: TraceEventBody[] = [{ ...started, seed }, runner, baseline, { type: 'credit', tallies: credit }];
  for (let n = 1; n <= 40; ++n) {
    const id = `c${n}`;
    const levels = [LEVELS[1 + random.below(LEVELS.length - 1)] ?? 'launch'];
    const value = 1 + n / 10;
    events.push(
      { type: 'candidate', id, author: 'agent', commit: id, sourcesSha256: id.padEnd(64, '0'), note: '', levels },
      { type: 'verdict', candidate: id, verdict: verdictWith({ value }) },
    );
    if (n % 3 === 0) {
      events.push(
        { type: 'verdict', candidate: id, verdict: verdictWith({ value, mode: 'confirm', faster: true }) },
        { type: 'incumbent', candidate: id },
      );
    }
    const kind: MomentKind = n % 3 === 0 ? 'new-best' : 'plateau';
    const { asked, offered } = offerAt(fold(numbered(events))!, kind);
    events.push({ type: 'moment', id: `m${n}`, kind, evidence: 'x', asked, offered: offered.map((q) => q.id) });
    const [q] = offered;
    if (!asked || !q) continue;
    const { text, level, intent } = q;
    events.push(
      {
        type: 'question',
        id: `q${n}`,
        moment: `m${n}`,
        known: q.id,
        text,
        level,
        intent,
        by: 'agent',
        informed: false,
      },
      { type: 'prompt', text, moment: `m${n}` },
    );
  }
  return events;
}

const learned: Tally[] = questions.slice(0, 30).map(({ id, level, intent }, i) => ({
  moment: 'plateau',
  question: id,
  level,
  intent,
  count: 5,
  sum: (i % 5) / 20,
  squares: (i % 5) ** 2 / 80,
}));

test.each([1, 2 ** 40 + 7])('seed %s: every offer and every silence of the trace comes out again', (seed) => {
  const bodies = session(seed, learned);
  const events = numbered(JSON.parse(JSON.stringify(bodies)) as TraceEventBody[]);
  let moments = 0;
  for (const [i, event] of events.entries()) {
    if (event.type !== 'moment') continue;
    const { asked, offered } = offerAt(fold(events.slice(0, i))!, event.kind);
    expect({ asked, offered: offered.map((q) => q.id) }).toEqual({ asked: event.asked, offered: event.offered });
    moments += 1;
  }
  expect(moments).toBe(40);
  const asked = bodies.flatMap((b) => (b.type === 'question' ? [b.level] : []));
  expect(asked.length).toBeGreaterThan(25);
  expect(new Set(asked).size).toBeGreaterThan(6);
});

test('another seed, or other credit, gives other offers', () => {
  const offers = (bodies: TraceEventBody[]) => bodies.flatMap((b) => (b.type === 'moment' ? b.offered : []));
  const one = offers(session(1, learned));
  expect(offers(session(1, learned))).toEqual(one);
  expect(offers(session(2, learned))).not.toEqual(one);
  expect(offers(session(1, []))).not.toEqual(one);
});
