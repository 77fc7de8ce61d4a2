// Credit from traces: windows, gains, silence, facts, and whether the agent moved.
import { expect, test } from 'vitest';
import { sampleTrace, verdictWith } from '../../test/support/sample-trace.js';
import type { TraceEvent, TraceEventBody } from '../session/events.js';
import { fold } from '../session/fold.js';
import { creditOf, talliesOf } from './credit.js';
import type { Level, MomentKind } from './types.js';

const start = () => sampleTrace().slice(0, 3);

function stateOf(bodies: readonly TraceEventBody[]) {
  const state = fold([...start(), ...bodies].map((body, i): TraceEvent => ({ ...body, seq: i + 1, at: i })));
  if (!state) throw new Error('an empty trace');
  return state;
}

const moment = (n: number, kind: MomentKind, asked = true, offered = ['who-pays']): TraceEventBody => ({
  type: 'moment',
  id: `m${n}`,
  kind,
  evidence: 'x',
  asked,
  offered,
});
const told = (n: number): TraceEventBody => ({ type: 'prompt', text: 'x?', moment: `m${n}` });
const chosen = (n: number, known: string | undefined, level: Level, informed = false): TraceEventBody => ({
  type: 'question',
  id: `q${n}`,
  moment: `m${n}`,
  ...(known !== undefined && { known }),
  text: 'x?',
  level,
  intent: 'move',
  by: 'agent',
  informed,
});
/** Chosen and told to the agent. */
const question = (...of: Parameters<typeof chosen>): TraceEventBody[] => [chosen(...of), told(of[0])];
const tried = (n: number, levels?: Level[]): TraceEventBody[] => [
  {
    type: 'candidate',
    id: `c${n}`,
    author: 'agent',
    commit: `${n}`,
    sourcesSha256: String(n).padEnd(64, '0'),
    note: '',
    ...(levels && { levels }),
  },
  { type: 'verdict', candidate: `c${n}`, verdict: verdictWith({ value: 1.1 }) },
];
const best = (n: number, value: number): TraceEventBody[] => [
  { type: 'verdict', candidate: `c${n}`, verdict: verdictWith({ value, mode: 'confirm', faster: true }) },
  { type: 'incumbent', candidate: `c${n}` },
];
const ended = (reason: 'agent' | 'budget'): TraceEventBody => ({ type: 'finished', reason, message: '' });

test('the gain of the best until the next question belongs to the question, whatever silence lies between', () => {
  const credit = creditOf(
    stateOf([
      ...tried(1, ['launch']),
      ...best(1, 1.5),
      moment(1, 'new-best'),
      ...question(1, 'who-pays', 'objective'),
      ...tried(2, ['launch']),
      moment(2, 'plateau', false),
      ...tried(3, ['overlap']),
      ...best(3, 3),
      moment(3, 'plateau'),
      ...question(3, 'byte-twice', 'data-movement'),
      ...tried(4, ['overlap', 'launch']),
      ended('budget'),
    ]),
  );
  expect(credit).toMatchObject([
    { moment: 'm1', kind: 'new-best', silent: false, question: 'who-pays', level: 'objective', moved: false },
    { moment: 'm2', kind: 'plateau', silent: true, moved: true },
    { moment: 'm3', kind: 'plateau', silent: false, question: 'byte-twice', gain: 0, moved: true },
  ]);
  expect(credit[0]?.gain).toBeCloseTo(Math.log(2));
  expect(credit[1]?.gain).toBeCloseTo(Math.log(2));
  expect(credit[1]).not.toHaveProperty('level');
});

test('a confirmation that goes back is a loss, not nothing', () => {
  const credit = creditOf(
    stateOf([
      ...tried(1),
      ...best(1, 2),
      moment(1, 'plateau'),
      ...question(1, 'who-pays', 'objective'),
      ...tried(2),
      ...best(2, 1.8),
      ended('agent'),
    ]),
  );
  expect(credit[0]?.gain).toBeCloseTo(Math.log(0.9));
});

test('what is still open does not count, nor what had no chance', () => {
  const open = [moment(1, 'plateau'), ...question(1, 'who-pays', 'objective')];
  expect(creditOf(stateOf(open))).toEqual([]);
  expect(creditOf(stateOf([...open, ...tried(1)]))).toEqual([]);
  expect(creditOf(stateOf([...open, ended('budget')]))).toEqual([]);
  expect(creditOf(stateOf([...open, ended('agent')]))).toHaveLength(1);
  expect(creditOf(stateOf([...open, ...tried(1), ended('budget')]))).toHaveLength(1);
});

test('silence is what the draw left unasked: not a moment for which nothing fitted, nor a question that was refused', () => {
  const after = [...tried(1), ended('agent')];
  expect(creditOf(stateOf([moment(1, 'plateau', false), ...after]))).toMatchObject([{ silent: true }]);
  expect(creditOf(stateOf([moment(1, 'plateau', false, []), ...after]))).toEqual([]);
  const never: TraceEventBody = {
    type: 'answer',
    moment: 'm1',
    question: 'q1',
    outcome: 'never',
    by: 'human',
    informed: false,
  };
  expect(creditOf(stateOf([moment(1, 'plateau'), chosen(1, 'who-pays', 'objective'), never, ...after]))).toEqual([]);
  const passed: TraceEventBody = { type: 'answer', moment: 'm1', outcome: 'passed', by: 'human', informed: false };
  expect(creditOf(stateOf([moment(1, 'plateau'), passed, ...after]))).toEqual([]);
});

test('facts in the question or in the answer are told, and earn nothing', () => {
  const answer: TraceEventBody = {
    type: 'answer',
    moment: 'm2',
    question: 'q2',
    outcome: 'answered',
    by: 'human',
    text: 'Use 128',
    informed: true,
  };
  const credit = creditOf(
    stateOf([
      moment(1, 'plateau'),
      ...question(1, 'who-pays', 'objective', true),
      moment(2, 'plateau'),
      ...question(2, 'byte-twice', 'data-movement'),
      answer,
      moment(3, 'plateau'),
      ...question(3, undefined, 'overlap'),
      ...tried(1),
      ended('agent'),
    ]),
  );
  expect(credit.map((o) => o.informed)).toEqual([true, true, false]);
  expect(talliesOf(credit)).toEqual([
    { moment: 'plateau', level: 'overlap', intent: 'move', count: 1, sum: 0, squares: 0 },
  ]);
});

test('whether the agent moved is not guessed', () => {
  const movedAfter = (before: TraceEventBody[], after: TraceEventBody[]) =>
    creditOf(
      stateOf([...before, moment(1, 'plateau'), ...question(1, 'who-pays', 'objective'), ...after, ended('agent')]),
    )[0]?.moved;
  expect(movedAfter(tried(1, ['launch']), tried(2))).toBeUndefined();
  expect(movedAfter(tried(1), tried(2, ['launch']))).toBeUndefined();
  expect(movedAfter(tried(1, ['launch']), [])).toBeUndefined();
  expect(movedAfter([], tried(2, ['launch']))).toBe(true);
  expect(movedAfter(tried(1, ['launch']), tried(2, ['launch']))).toBe(false);
});
