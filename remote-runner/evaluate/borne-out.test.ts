// What clocks outside bear out of the times that a candidate's process tells.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ratio, ScenarioTiming } from '../protocol.js';
import { asBorneOut, byKeeper, Work } from './borne-out.js';
import { confirmTimes, type Seen } from './clock.js';
import type { Spent } from './cpu-time.js';
import type { Side } from './rig.js';
import type { Speedup } from './speedup.js';

const ratio = (value: number, low: number, high: number): Ratio => ({ value, low, high });
const timing = (speedup: Ratio, baselineMs = 1): ScenarioTiming => ({
  candidateMs: baselineMs / speedup.value,
  baselineMs,
  speedup,
  pairs: 20,
  processes: 4,
});
const speedupOf = (r: Ratio): Speedup => ({ perScenario: [timing(r)], overall: { ...r, confidence: 0.99 } });

describe('a gain', () => {
  const borneOut = (told: Ratio, borne: Ratio): Ratio => {
    const { overall, perScenario } = asBorneOut(speedupOf(told), speedupOf(borne));
    expect(perScenario[0]!.speedup).toEqual({ value: overall.value, low: overall.low, high: overall.high });
    return perScenario[0]!.speedup;
  };
  it('counts as it was told where other clocks agree', () => {
    expect(borneOut(ratio(2, 1.9, 2.1), ratio(2, 1.95, 2.05))).toEqual(ratio(2, 1.9, 2.1));
  });
  it('counts no more than other clocks are certain of', () => {
    expect(borneOut(ratio(2, 1.9, 2.1), ratio(1.9, 1.4, 2.5))).toEqual(ratio(2, 1.4, 2.1));
    expect(borneOut(ratio(1.2, 1.1, 1.3), ratio(1, 0.5, 2)).low).toBeLessThan(1);
  });
  it('is what other clocks say where they contradict it', () => {
    expect(borneOut(ratio(7.13, 4.08, 12.46), ratio(1.02, 0.9, 1.16))).toEqual(ratio(1.02, 0.9, 1.16));
  });
  it('never has a lower end above that of either clock', () => {
    const one = fc.tuple(...[0.1, 0.1, 0.1].map((min) => fc.double({ min, max: 20, noNaN: true })));
    fc.assert(
      fc.property(one, one, (a, b) => {
        const sorted = ([...all]: number[]): Ratio => {
          const [low, value, high] = all.sort((x, y) => x - y) as [number, number, number];
          return ratio(value, low, high);
        };
        const [told, borne] = [sorted(a), sorted(b)];
        const counts = borneOut(told, borne);
        expect(counts.low).toBeLessThanOrEqual(borne.low);
        expect(counts.low).toBeLessThanOrEqual(counts.value);
        expect(counts.value).toBeLessThanOrEqual(counts.high);
      }),
    );
  });
});

describe('the keeper’s clock', () => {
  it('takes off what the original’s calls cost in a batch beside themselves', () => {
    expect(byKeeper({ baseline: 0.009, ms: 0.006 }, 0.007, 0.004)).toBeCloseTo(0.004);
    // Pipelined, they take less than alone.
    expect(byKeeper({ baseline: 0.006, ms: 0.004 }, 0.007, 0.004)).toBeCloseTo(0.005);
  });
  it('takes off no more than a call can cost: a slow original’s noise is no excuse', () => {
    expect(byKeeper({ baseline: 310, ms: 5 }, 300, 0.004)).toBeCloseTo(4.996);
  });
});

describe('CPU time', () => {
  /** Milliseconds of work and of the busiest thread, in the order in which they are asked for. */
  const workOf = async (spans: Record<string, Spent[]>): Promise<Work> => {
    const work = new Work({
      emulated: true,
      timedSides: ['baseline', 'candidate'],
      meter: (side: Side) => {
        const span = spans[side]!.shift()!;
        return Promise.resolve(() => Promise.resolve(span));
      },
    });
    await work.begin();
    for (const side of ['baseline', 'candidate'] as const) await work.beside('copies', side, () => Promise.resolve());
    await work.beside('empty', 'baseline', () => Promise.resolve());
    await work.end();
    return work;
  };
  const spent = (work: number, path = work): Spent => ({ work, path });

  it('is that of the calls, without copies and flushes', async () => {
    // 30 of calls, 50 of copies, 20 of flushes, and a turn without calls.
    const work = await workOf({ baseline: [spent(120), spent(50), spent(20)], candidate: [spent(85)] });
    expect(work.saved('candidate')).toBeCloseTo(0.5);
    expect(work.saved('incumbent')).toBeNaN();
  });
  it('of what was done ahead, outside of any turn, is work too', async () => {
    const work = await workOf({ baseline: [spent(120), spent(50), spent(20)], candidate: [spent(100)] });
    expect(work.saved('candidate')).toBeCloseTo(0);
  });
  it('lets the same work on more threads be faster', async () => {
    const work = await workOf({ baseline: [spent(120), spent(50), spent(20)], candidate: [spent(100, 85)] });
    expect(work.saved('candidate')).toBeCloseTo(0.5);
  });
});

describe('a claim', () => {
  const borne: Seen['borne'] = { baseline: [1], candidate: [1], incumbent: [] };
  const confirm = (
    told: Ratio,
    outside: Ratio,
    more: { excesses?: number[]; gains?: number[]; baselineMs?: number; emulated?: boolean; cold?: boolean } = {},
  ): ReturnType<typeof confirmTimes> => {
    const {
      excesses = [0.01, 0, 0.02, 0.01],
      gains = [1, 0.9, 1.1, 1],
      baselineMs = 1,
      emulated = false,
      cold = true,
    } = more;
    const seen = excesses.map((excess, i) => ({ excess, gain: gains[i]!, borne }));
    const [a, b] = [timing(told, baselineMs), timing(outside, baselineMs)];
    return confirmTimes({ scenario: 'n=1', told: a, borne: b, seen, cold }, emulated);
  };
  const double = ratio(2, 1.9, 2.1);

  it('that is borne out is left alone, one slow batch or not', () => {
    expect(confirm(double, double)).toEqual({});
    expect(confirm(double, double, { excesses: [0.01, -0.01, 0.02, 0.6] })).toEqual({});
    expect(confirm(double, double, { gains: [-5, 8, 0, 0.03] })).toEqual({});
  });
  it('of calls that take longer by the keeper’s clock is a lie', () => {
    expect(confirm(double, double, { excesses: [0.3, 0.32, 0.31, 0.29] }).finding?.code).toBe('time_unconfirmed');
  });
  it('of time that is not saved outside is a lie, and none where nothing is said to be saved', () => {
    const gains = [0.02, -0.01, 0, 0.03];
    expect(confirm(double, double, { gains }).finding?.message).toMatch(/of the time it says to save/);
    expect(confirm(ratio(1.01, 0.98, 1.04), double, { gains })).toEqual({});
  });
  it('that the keeper’s clock contradicts is a lie, but for a few microseconds', () => {
    const none = ratio(1.02, 0.9, 1.16);
    const told = ratio(7.13, 4.08, 12.46);
    expect(confirm(told, none, { baselineMs: 0.007 }).finding?.message).toMatch(
      /tells 7.13×, by clocks outside it is 1.02×/,
    );
    const short = confirm(told, none, { baselineMs: 0.004 });
    expect(short.finding).toBeUndefined();
    expect(short.warning).toMatch(/that is what counts/);
  });
  it('of calls that the host launches more slowly than they run is no lie, and no gain', () => {
    const [told, none] = [ratio(3, 2.9, 3.1), ratio(1, 0.95, 1.05)];
    const excesses = [1, 1.1, 0.9, 1];
    expect(confirm(told, none, { baselineMs: 0.012, cold: false, excesses }).warning).toMatch(/that is what counts/);
    expect(confirm(told, none, { baselineMs: 0.012, excesses }).finding).toBeDefined();
  });
  it('of which less is certain warns', () => {
    expect(confirm(double, ratio(1.9, 1.2, 3)).warning).toMatch(/no more than 1.20× with certainty/);
  });
});
