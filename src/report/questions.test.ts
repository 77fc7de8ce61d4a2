// The digest: every question with its answer, where the next candidates were, and what came of them.
import { expect, test } from 'vitest';
import { sampleTrace, verdictWith } from '../../test/support/sample-trace.js';
import type { TraceEventBody } from '../session/events.js';
import { fold } from '../session/fold.js';
import { noPaint } from './paint.js';
import { digestLines, questionLine } from './questions.js';

const moment = (n: number, asked = true): TraceEventBody => ({
  type: 'moment',
  id: `m${n}`,
  kind: 'plateau',
  evidence: 'Nothing was gained.',
  asked,
  offered: ['twice'],
});
const question = (n: number, by: 'human' | 'agent', text: string): TraceEventBody => ({
  type: 'question',
  id: `q${n}`,
  moment: `m${n}`,
  text,
  level: 'data-movement',
  by,
  informed: false,
});
const answer = (n: number, outcome: 'answered' | 'passed', text?: string): TraceEventBody => ({
  type: 'answer',
  moment: `m${n}`,
  question: `q${n}`,
  outcome,
  by: 'agent',
  ...(text !== undefined && { text }),
  informed: false,
});
const candidate = (id: string): TraceEventBody => ({
  type: 'candidate',
  id,
  author: 'agent',
  commit: 'a'.repeat(40),
  sourcesSha256: id.padEnd(64, '0'),
  note: id,
  levels: ['decomposition', 'launch'],
});

test('questions, answers, level moves and outcomes', () => {
  const best = verdictWith({ value: 2, mode: 'confirm', faster: true });
  const bodies: TraceEventBody[] = [
    ...sampleTrace().slice(0, 3),
    moment(1),
    question(1, 'human', 'Which byte \u001b[31mtravels twice?'),
    answer(1, 'answered', 'the mask'),
    candidate('c1'),
    { type: 'verdict', candidate: 'c1', verdict: verdictWith({ value: 2 }) },
    { type: 'verdict', candidate: 'c1', verdict: best },
    { type: 'incumbent', candidate: 'c1' },
    moment(2, false),
    moment(3),
    question(3, 'agent', 'Whose limit is that?'),
    answer(3, 'answered', 'ours'),
    { type: 'claim', id: 'l1', text: 'Memory is saturated.', evidence: 'c1' },
  ];
  const state = fold(bodies.map((body, i) => ({ ...body, seq: i + 1, at: i })));
  expect(state && digestLines(state, noPaint)).toEqual([
    'questions',
    '? Which byte travels twice? (data movement), from you',
    '  agent answers: the mask',
    '  then: 1 candidate at decomposition, launch and runtime; best 1.000× → 2.00× (c1) (CPU emulation)',
    '? Whose limit is that? (data movement), picked by the agent',
    '  agent answers: ours',
    '  then: nothing was tried',
    'claimed limit: Memory is saturated. (c1)',
    '1 moment left in silence, to compare with',
  ]);
  expect(questionLine({ ...moment(2, false), seq: 1, at: 1 })).toBe('a moment in silence: Nothing was gained.');
  expect(questionLine({ ...answer(1, 'passed'), seq: 1, at: 1 })).toBe('no question this time');
});

test('a session without questions has no digest', () => {
  const state = fold(sampleTrace().map((body, i) => ({ ...body, seq: i + 1, at: i })));
  expect(state && digestLines(state, noPaint)).toEqual([]);
});
