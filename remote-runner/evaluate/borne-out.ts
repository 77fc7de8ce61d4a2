// How much of what a candidate's process tells of its times is borne out by clocks that it does not hold.
import type { Ratio } from '../protocol.js';
import type { Spent } from './cpu-time.js';
import type { Rig, TimedSide } from './rig.js';
import type { Speedup } from './speedup.js';
import { median } from './statistics.js';
import type { Timed } from './timing.js';

/**
 * Milliseconds of a call by the keeper's clock, as the original's process would tell them: that process is not the candidate's,
 * and what its own calls take longer in a batch than alone, which is a constant, is taken off.
 */
export function byKeeper(keeper: { baseline: number; ms: number }, toldBaseline: number, overhead: number): number {
  const offset = Math.max(-overhead, Math.min(overhead, keeper.baseline - toldBaseline));
  return keeper.ms - offset;
}

/** Far below what was told is no news, and a time is above zero. */
export const atLeast = (told: number, ms: number): number => Math.max(told / 2, ms);

/** Share of the gain told that shows between handing out the inputs and having the results; 1 when all of it does. */
export function gainOutside({ baseline, candidate, outside }: Timed): number {
  const saved = median(outside.baseline) - median(outside.candidate);
  return saved / median(baseline.map((ms, i) => ms - candidate[i]!));
}

/**
 * The CPU time of all sides on an emulated target, from before the inputs of many calls come until after their results are
 * there: whatever is done ahead, afterwards or in another thread is part of it. A GPU's work is none of the CPU's.
 */
export class Work {
  private readonly all = new Map<TimedSide, Spent>();
  /** Of the original: getting inputs and giving results. */
  private readonly copies: Spent = { work: 0, path: 0 };
  /** Of the original: a turn without calls. It makes one more of them, and another is part of every turn with calls. */
  private readonly empty: Spent = { work: 0, path: 0 };
  private running: [TimedSide, () => Promise<Spent>][] = [];

  constructor(private readonly rig: Pick<Rig, 'emulated' | 'timedSides' | 'meter'>) {}

  async begin(): Promise<void> {
    if (!this.rig.emulated) return;
    for (const side of this.rig.timedSides) this.running.push([side, await this.rig.meter(side)]);
  }

  /** Work of a side that is no call: of the original, it is told apart. */
  async beside<T>(what: 'copies' | 'empty', side: TimedSide, work: () => Promise<T>): Promise<T> {
    if (!this.rig.emulated || side !== 'baseline') return work();
    const stop = await this.rig.meter(side);
    const done = await work();
    const spent = await stop();
    this[what].work += spent.work;
    this[what].path += spent.path;
    return done;
  }

  async end(): Promise<void> {
    for (const [side, stop] of this.running) this.all.set(side, await stop());
  }

  /**
   * Which share of the original's call a side saves: of its work, or of the time that the busiest thread takes, for the same work
   * spread over more threads is faster. NaN where nothing was counted.
   */
  saved(side: TimedSide): number {
    const [original, other] = [this.all.get('baseline'), this.all.get(side)];
    if (!original || !other) return NaN;
    const share = (what: keyof Spent): number =>
      (original[what] - this.empty[what] - other[what]) / (original[what] - this.copies[what] - 2 * this.empty[what]);
    return Math.max(share('work'), share('path'));
  }
}

/** A ratio told, no higher than it is borne out: wholly by the other clocks where those contradict it. */
function lower<R extends Ratio>(told: R, borne: Ratio): R {
  if (told.value <= borne.high) return { ...told, low: Math.min(told.low, borne.low) };
  return { ...told, value: borne.value, low: borne.low, high: borne.high };
}

/**
 * A gain counts to the degree to which both say it: what the sides' own processes tell, and what clocks outside bear out of
 * that. @param borne of the same sets of processes
 */
export function asBorneOut(told: Speedup, borne: Speedup): Speedup {
  return {
    perScenario: told.perScenario.map((timing, i) => {
      const other = borne.perScenario[i]!;
      const { overIncumbent } = timing;
      return {
        ...timing,
        speedup: lower(timing.speedup, other.speedup),
        ...(overIncumbent && { overIncumbent: lower(overIncumbent, other.overIncumbent ?? overIncumbent) }),
      };
    }),
    overall: lower(told.overall, borne.overall),
    ...(told.overIncumbent && borne.overIncumbent
      ? { overIncumbent: lower(told.overIncumbent, borne.overIncumbent) }
      : {}),
  };
}
