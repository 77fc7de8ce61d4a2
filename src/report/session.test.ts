// A session in the terminal: its candidates, what is best and how sure, and lists of sessions.
import { expect, test } from 'vitest';
import { sampleTrace, verdictWith } from '../../test/support/sample-trace.js';
import type { TraceEvent, TraceEventBody } from '../session/events.js';
import { fold, type SessionState } from '../session/fold.js';
import { noPaint } from './paint.js';
import { baselineLine, bestLine, candidateLines, sessionTable, summaryLines } from './session.js';

function stateOf(bodies: readonly TraceEventBody[]): SessionState {
  const state = fold(bodies.map((body, i): TraceEvent => ({ ...body, seq: i + 1, at: 1000 * i })));
  if (!state) throw new Error('an empty trace');
  return state;
}

const start = () => sampleTrace().slice(0, 2);
const baseline: TraceEventBody = { type: 'baseline', verdict: verdictWith({ value: 1 }) };
const candidate = (id: string, note: string): TraceEventBody => ({
  type: 'candidate',
  id,
  author: 'search',
  commit: id,
  sourcesSha256: id.padEnd(64, '0'),
  note,
});
const verdict = (of: Parameters<typeof verdictWith>[0] & { id: string }): TraceEventBody => ({
  type: 'verdict',
  candidate: of.id,
  verdict: verdictWith(of),
});

test('each candidate with its verdict, what it is over and how sure it is; CPU times are labelled', () => {
  const state = stateOf([
    ...start(),
    baseline,
    candidate('c1', 'BLOCK = 512'),
    verdict({ id: 'c1', value: 1.5 }),
    candidate('c2', 'BLOCK = 1024'),
    verdict({ id: 'c2', status: 'launch_error', message: 'invalid argument' }),
    candidate('c3', 'BLOCK = 64\u001b[2J'),
    verdict({ id: 'c3', value: 2 }),
    verdict({ id: 'c3', value: 1.8, mode: 'confirm', faster: true }),
    { type: 'incumbent', candidate: 'c3' },
    candidate('c4', 'BLOCK = 32'),
    verdict({ id: 'c4', value: 1.2 }),
    verdict({ id: 'c4', value: 1.01, low: 0.9, high: 1.1, mode: 'confirm', faster: false }),
    candidate('c5', 'BLOCK = 16'),
  ]);
  const lines = candidateLines(state, noPaint);
  expect(lines[0]).toMatch(/speedup over original \[low, high\].*\(CPU emulation: not GPU speed\)/);
  expect(lines[1]).toMatch(/^c1 +BLOCK = 512 +correct +1\.50× \[1\.\d+, 1\.\d+\] +provisional$/);
  expect(lines[2]).toMatch(/^c2 +BLOCK = 1024 +launch_error +–$/);
  expect(lines[3]).toMatch(/^c3 +BLOCK = 64 +correct +1\.80× .* confirmed: best$/);
  expect(lines[4]).toMatch(/^c4 +BLOCK = 32 +correct +1\.010× \[0\.900, 1\.100\] +confirmed: not faster$/);
  expect(lines[5]).toMatch(/^c5 +BLOCK = 16 +not judged +–$/);
  expect(bestLine(state, noPaint)).toMatch(
    /^best: c3 \(BLOCK = 64\): at least 1\.78× over original \(1\.80× \[1\.78, 1\.82\], 99 % interval\) \(CPU emulation: not GPU speed\)$/,
  );
});

test('without a confirmed gain it says so, and what could be one', () => {
  const none = 'no gain was significant';
  expect(bestLine(stateOf([...start(), baseline]), noPaint)).toBe('no candidate was evaluated');
  const near = (...more: TraceEventBody[]) =>
    bestLine(stateOf([...start(), baseline, candidate('c1', 'x'), ...more]), noPaint);
  expect(near(verdict({ id: 'c1', value: 5.57, low: 5.1, high: 6.1 }))).toBe(
    'no gain is confirmed yet; candidate c1, not confirmed: 5.57× [5.10, 6.10] over original at first sight ' +
      '(CPU emulation: not GPU speed)',
  );
  expect(near(verdict({ id: 'c1', value: 1.015, low: 0.955, high: 1.078 }))).toBe(none);
  const refuted = verdict({ id: 'c1', value: 1.01, low: 0.9, mode: 'confirm', faster: false });
  expect(near(verdict({ id: 'c1', value: 1.3 }), refuted)).toBe(none);
});

test('a failure on a held-out scenario is called that; the end is put in words', () => {
  const failed = verdictWith({ status: 'wrong', mode: 'confirm' });
  failed.scenarios.push({ id: 'n=7', status: 'wrong', heldOut: true, outputs: [] });
  const state = stateOf([
    ...start(),
    baseline,
    candidate('c1', 'x'),
    { type: 'verdict', candidate: 'c1', verdict: failed },
    { type: 'finished', reason: 'agent', message: 'stuck' },
  ]);
  expect(candidateLines(state, noPaint)[1]).toMatch(/^c1 +x +wrong \(held-out scenario\) +–$/);
  expect(summaryLines(state, noPaint)).toContain('ended (finished by the agent): stuck');
  const stopped = stateOf([...start(), { type: 'finished', reason: 'stopped', message: 'stopped by you' }]);
  expect(summaryLines(stopped, noPaint)).toContain('ended: stopped by you');
});

test('the original: its times, one by one or from least to most, and its noise', () => {
  const of = verdictWith({ value: 1 });
  expect(baselineLine(of)).toBe('n=1024 1.00 ms; against itself 1.000× [0.990, 1.010]');
  of.scenarios = [0.01, 2, 30, 4].map((baselineMs, i) => ({
    id: `n=${i}`,
    status: 'correct',
    outputs: [],
    timing: { candidateMs: 1, baselineMs, speedup: { value: 1, low: 1, high: 1 }, pairs: 7, processes: 1 },
  }));
  expect(baselineLine(of)).toMatch(/^4 scenarios of 0\.0100 to 30\.0 ms; against itself/);
});

test('a long session shows its beginning and its end', () => {
  const many = Array.from({ length: 100 }, (_, i) => candidate(`c${i + 1}`, `n${i + 1}`));
  const lines = candidateLines(stateOf([...start(), ...many]), noPaint);
  expect(lines).toHaveLength(62);
  expect(lines[31]).toBe('… 40 more …');
  expect([lines[30], lines[32]].map((line) => line?.split(' ')[0])).toEqual(['c30', 'c71']);
});

test('the summary of a whole trace names budget, tokens and the end; lists carry errors too', () => {
  const state = stateOf(sampleTrace());
  const summary = summaryLines(state, noPaint).join('\n');
  expect(summary).toMatch(/^ask: \d of 5 evaluations, .* of 10 min/m);
  const folder = '/w/.kernelseek/sessions/s';
  const lines = sessionTable(
    [
      { session: 's1', folder, state, running: true },
      { session: 's2', folder, state: { ...state, finished: undefined }, running: false },
      { session: 's3', folder, error: 'line 3: not JSON\u0007' },
    ],
    state.updatedAt + 3 * 86_400_000,
    noPaint,
  );
  expect(lines[1]).toMatch(/^s1 +a\.task\.json +ask +running +at least 1\.39× \(CPU emulation\) .* 3 d$/);
  expect(lines[2]).toMatch(/^s2 +a\.task\.json +ask +broken off /);
  expect(lines[3]).toMatch(/^s3 +unreadable: line 3: not JSON$/);
});
