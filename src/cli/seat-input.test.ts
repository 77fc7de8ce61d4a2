// Every key of the seat, slips of the finger, and questions in one's own words.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OpenQuestion } from '../session/asking/asker.js';
import { reply } from '../session/asking/asker.js';
import { saidIn } from './seat-input.js';
import { clock, questionLines } from './seat-lines.js';
import { noPaint } from '../report/paint.js';

const choice = (id: string) => ({ id, text: `Which ${id}?`, level: 'algorithm' as const, intent: 'move' as const });
const open: OpenQuestion = {
  moment: 'm1',
  kind: 'plateau',
  evidence: 'Nothing was gained in six verdicts.',
  place: { file: 'k.cu', line: 12 },
  choices: [choice('a'), choice('b'), choice('c')],
  remainingMs: 300_000,
  held: false,
  agentPicks: true,
};

test.each([
  ['2', { type: 'put', known: 'b' }],
  ['a 2 the mask is read again', { type: 'answer', known: 'b', text: 'the mask is read again' }],
  ['a2 the mask', { type: 'answer', known: 'b', text: 'the mask' }],
  ['n', { type: 'another' }],
  ['p', { type: 'pass' }],
  ['g', { type: 'agent' }],
  ['w', { type: 'wrong-moment' }],
  ['x3', { type: 'never', known: 'c' }],
  ['who needs this table?', { type: 'own', text: 'who needs this table?' }],
  ['a 2 tile order is fixed, why?', { type: 'own', text: 'a 2 tile order is fixed, why?' }],
  ['say what you see', { type: 'own', text: 'say what you see' }],
])('%s', (line, expected) => {
  expect(saidIn(line, open)).toEqual({ type: 'reply', reply: expected });
});

test.each([
  ['4', /there is no question 4; type 1 to 3/],
  ['a because', /which one do you answer/],
  ['x', /which one never again/],
  ['zz', /none of the keys/],
  [':nonsense', /:pause/],
])('%s is a slip: nothing is sent', (line, expected) => {
  expect(saidIn(line, open)).toEqual({ type: 'hint', text: expect.stringMatching(expected) });
});

test('without an open question a line is a question for later, a slip is not', () => {
  expect(saidIn('why is it slow?', undefined)).toEqual({ type: 'pose', text: 'why is it slow?' });
  expect(saidIn('1', undefined).type).toBe('hint');
  expect(saidIn(':pause', undefined)).toEqual({ type: 'pause' });
});

test('property: whatever is typed, what is sent is a reply that the session takes', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40 }), (line) => {
      const said = saidIn(line.trim() || '1', open);
      if (said.type === 'reply') expect(reply.safeParse(said.reply).success).toBe(true);
    }),
  );
});

test('a question shows why, where, what and how, within any width', () => {
  for (const columns of [200, 80, 40, 10]) {
    const lines = questionLines(open, noPaint, columns);
    const text = lines.join(' ').replace(/\s+/g, ' ');
    expect(text).toContain('? Nothing was gained in six verdicts. (k.cu:12)');
    expect(text).toContain('2 Which b? (algorithm)');
    expect(text).toContain('when the time is up, the agent picks');
    for (const line of lines) expect(line.length).toBeLessThan(Math.max(columns, 25));
  }
  expect([clock(300_000), clock(61_001), clock(0)]).toEqual(['5:00', '1:02', '0:00']);
});
