// The seat: who is there, one open question, a countdown that stands still while somebody types, pauses.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Asker as Mode } from '../../questions/types.js';
import type { Asked, OpenQuestion } from './asker.js';
import { Seat } from './seat.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ASKED: Asked = {
  moment: 'm1',
  kind: 'plateau',
  evidence: 'Nothing was gained.',
  choices: [{ id: 'twice', text: 'Which byte travels twice?', level: 'data-movement', intent: 'move' }],
};
const never = new AbortController().signal;

function seat(mode: Mode, present = true) {
  const shown: (OpenQuestion | undefined)[] = [];
  const made = new Seat({ mode, onQuestion: (q) => void shown.push(q), patienceMs: 60_000 });
  made.setPresent(present);
  return { seat: made, shown };
}

test.each<[Mode, boolean, string]>([
  ['agent', true, 'agent'],
  ['both', false, 'agent'],
  ['human', false, 'expired'],
])('asked by %s with present %s: %s at once', async (mode, present, type) => {
  const { seat: s, shown } = seat(mode, present);
  expect(await s.ask(ASKED, never)).toEqual({ type });
  expect(shown).toEqual([]);
});

describe('a person who is present', () => {
  test('decides; what is not open or not offered is refused', async () => {
    const { seat: s, shown } = seat('both');
    const decided = s.ask(ASKED, never);
    expect(shown.at(-1)).toMatchObject({ moment: 'm1', remainingMs: 60_000, held: false, agentPicks: true });
    expect(() => s.reply('m0', { type: 'pass' })).toThrow('m0 is not open any more');
    expect(() => s.reply('m1', { type: 'put', known: 'other' })).toThrow('"other" is not among');
    s.reply('m1', { type: 'put', known: 'twice' });
    expect(await decided).toEqual({ type: 'put', known: 'twice' });
    expect(shown.at(-1)).toBeUndefined();
    expect(() => s.reply('m1', { type: 'pass' })).toThrow('not open any more');
  });

  test('has a minute, and typing does not count', async () => {
    const { seat: s, shown } = seat('both');
    let decision: unknown;
    void s.ask(ASKED, never).then((reply) => (decision = reply));
    await vi.advanceTimersByTimeAsync(50_000);
    s.setTyping(true);
    expect(shown.at(-1)).toMatchObject({ held: true, remainingMs: 10_000 });
    await vi.advanceTimersByTimeAsync(20_000);
    s.setTyping(true);
    // Who stops typing without a word is gone after a while.
    await vi.advanceTimersByTimeAsync(29_000);
    expect(decision).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1000);
    expect(shown.at(-1)).toMatchObject({ held: false, remainingMs: 10_000 });
    await vi.advanceTimersByTimeAsync(9999);
    expect(decision).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(decision).toEqual({ type: 'agent' });
  });

  test('who leaves leaves it to the agent, and with `human` to nobody', async () => {
    for (const [mode, type] of [
      ['both', 'agent'],
      ['human', 'expired'],
    ] as const) {
      const { seat: s } = seat(mode);
      const decided = s.ask(ASKED, never);
      s.setPresent(false);
      expect(await decided).toEqual({ type });
    }
  });

  test('poses at any time: in place of what is open, else for the next safe point', async () => {
    const { seat: s } = seat('both');
    s.pose('first?');
    expect([s.posed(), s.posed()]).toEqual(['first?', undefined]);
    const decided = s.ask(ASKED, never);
    s.pose('mine?');
    expect(await decided).toEqual({ type: 'own', text: 'mine?' });
    expect(s.posed()).toBeUndefined();
    for (let i = 0; i < 20; i++) s.pose(`${i}?`);
    expect(() => s.pose('one more?')).toThrow('20 questions wait already');
  });

  test('an abort closes the question', async () => {
    const { seat: s } = seat('both');
    const stop = new AbortController();
    const decided = s.ask(ASKED, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(decided).rejects.toThrow('stopped');
    expect(s.current()).toBeUndefined();
  });
});

test('a pause holds the agent until it is lifted, or the session stopped', async () => {
  const { seat: s } = seat('agent');
  const told: boolean[] = [];
  const tell = (paused: boolean) => Promise.resolve(told.push(paused));
  await s.running(never, tell);
  expect(told).toEqual([]);
  s.setPaused(true);
  const runs = s.running(never, tell);
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toEqual([true]);
  s.setPaused(false);
  await runs;
  expect(told).toEqual([true, false]);
  s.setPaused(true);
  const stop = new AbortController();
  const held = s.running(stop.signal, tell);
  await vi.advanceTimersByTimeAsync(1000);
  stop.abort(new Error('stopped'));
  await expect(held).rejects.toThrow('stopped');
});
