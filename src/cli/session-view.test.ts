// What a session shows while it runs: the agent's words and edits, every verdict explained, a status line that fits.
import { expect, test } from 'vitest';
import { sampleTrace, verdictWith } from '../../test/support/sample-trace.js';
import { noPaint } from '../report/paint.js';
import type { TraceEventBody } from '../session/events.js';
import { ProgressLine } from './progress.js';
import { SessionView } from './session-view.js';

function viewOf(bodies: readonly TraceEventBody[], columns = 100) {
  const written: string[] = [];
  const stream = { isTTY: false, columns, write: (text: string) => written.push(text) };
  const view = new SessionView(new ProgressLine(stream, {}), noPaint);
  for (const [i, body] of bodies.entries()) view.event({ ...body, seq: i + 1, at: i });
  return { view, lines: written.join('').trimEnd().split('\n') };
}

const start = sampleTrace().slice(0, 3);
const tool = (name: string, input: unknown, result = '', isError = false): TraceEventBody => ({
  type: 'tool',
  id: 't',
  name,
  input,
  result,
  isError,
});

test('the agent speaks and works in lines of their own, without control characters', () => {
  const words = `I look at\n\u001b[2Jthe loop. ${'so '.repeat(200)}`;
  const { lines } = viewOf([
    ...start,
    {
      type: 'model',
      model: 'm',
      content: [
        { type: 'text', text: words },
        { type: 'thinking', thinking: 'secret' },
      ],
    },
    { type: 'model', model: 'm', content: [{ type: 'tool_use', id: 't', name: 'view', input: {} }] },
    tool('view', { path: 'k.cu\u0007', from: 2 }, 'text'),
    tool('edit', { path: 'k.cu', old: 'a\nb\n', new: 'c' }, 'edited k.cu at line 7'),
    tool('edit', { path: 'k.cu' }, '"old" does not stand in k.cu', true),
    tool('restore', { to: 'c1' }),
    tool('evaluate', { note: 'x' }, 'c1: correct'),
    tool('finish', null),
  ]);
  const agent = lines.slice(3);
  expect(agent[0]).toMatch(/^agent: I look at the loop\. so so .*…$/);
  expect(agent[0]?.length).toBeLessThan(180);
  expect(agent.slice(1)).toEqual([
    'agent views k.cu, lines 2 to the end',
    'agent edits k.cu at line 7 (2 lines → 1)',
    'agent: edit failed: "old" does not stand in k.cu',
    'agent goes back to c1',
  ]);
});

test('the original shows its times and noise; a confirmed gain what it looked like before; held-out failures are named', () => {
  const heldOut = verdictWith({ status: 'wrong', mode: 'confirm', message: 'x differs' });
  heldOut.scenarios.push({ id: 'n=7', status: 'wrong', heldOut: true, outputs: [] });
  const candidate = sampleTrace()[5];
  if (candidate?.type !== 'candidate') throw new Error('the sample has changed');
  const { lines } = viewOf([
    ...start,
    candidate,
    { type: 'verdict', candidate: 'c1', verdict: verdictWith({ value: 44.8 }) },
    { type: 'verdict', candidate: 'c1', verdict: verdictWith({ value: 32.94, mode: 'confirm', faster: true }) },
    { type: 'verdict', candidate: 'c1', verdict: heldOut },
  ]);
  expect(lines[2]).toMatch(/^original: correct: n=1024 1\.00 ms; against itself 1\.000× \[0\.990, 1\.010\]$/);
  expect(lines[4]).toMatch(/32\.94× .* confirmed: faster in fresh processes, after 44\.80× at first sight/);
  expect(lines[5]).toContain('wrong (held-out scenario)  x differs');
});

test('the status line has room for phase and best whatever the note, and says who is at work', () => {
  const written: string[] = [];
  const stream = { isTTY: true, columns: 100, write: (text: string) => written.push(text) };
  const view = new SessionView(new ProgressLine(stream, {}), noPaint);
  const note = 'a very long note that goes on and on about what was changed and why';
  const candidate = { ...sampleTrace()[5], note } as TraceEventBody;
  for (const [i, body] of [...start, candidate].entries()) view.event({ ...body, seq: i + 1, at: i });
  view.update({ phase: 'time', detail: 'timing n=1024', candidate: 'c1' });
  expect(written.at(-1)).toContain('c1 a very long note that goes on');
  expect(written.at(-1)).toMatch(/no gain yet · time/);
  view.update({ phase: 'model', detail: 'asking some-model' });
  expect(written.at(-1)).toContain('0 of 5 evaluations · agent · no gain yet · model asking some-model');
});
