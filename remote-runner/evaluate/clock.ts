// Are the times that a candidate's process tells the true ones? The keeper makes both sides call on many buffers in one go,
// by its own clock, with inputs that differ from buffer to buffer, and every result is checked.
import type { Finding } from '../protocol.js';
import type { Checked } from './check.js';
import { keepExpected } from './expected.js';
import type { Layout } from './layout.js';
import type { Rig, Side } from './rig.js';
import { onSide } from './side.js';
import { meanInterval, median } from './statistics.js';
import { compared, type Timed, TimedFailure } from './timing.js';

/**
 * Share by which the keeper's time may exceed the one told. Emulated calls share their cores with everything else: the mean of
 * a batch lies far above the median of single calls there, and no time of theirs is shown as speed.
 */
const tolerated = (emulated: boolean): number => (emulated ? 1 : 0.05);
/** Long enough for a microsecond of a clock not to matter, milliseconds. */
const BATCH_MS = 2;
const [fewest, most] = [2, 32];
/** The original is called as often, and may be slow, milliseconds. */
const ORIGINAL_MS = 300;
/** What a call in a batch costs beside itself at most, milliseconds: enqueuing it and its events, entering and leaving. */
const overheadMs = (emulated: boolean): number => (emulated ? 0.008 : 0.004);
/** All slots of one side, bytes. */
const ROOM = 512 * 2 ** 20;
/** Draws of the batch start here, apart from those of checks and timed calls. */
const FIRST_DRAW = 1000;

/** What is seen from outside of the times that one set of processes tells of one scenario. */
export interface Seen {
  /** log(keeper's time / told time) of a call. */
  excess: number;
  /** Share of the time told below which the keeper's clock sees nothing. */
  resolution: number;
  /** Share of the gain told that shows between handing out the inputs and having the results. */
  gain: number;
}

/**
 * Expects the rig to have entered, checked and timed the scenario.
 * @throws TimedFailure when a result is wrong or was not there when the worker said so, SideFailure
 */
export async function clockScenario(
  rig: Rig,
  layout: Layout,
  checked: Checked,
  timed: Timed,
  options: { cold: boolean; originalLimitMs: number },
): Promise<Seen> {
  const told = { candidate: median(timed.candidate), baseline: median(timed.baseline) };
  const room = Math.max(1, Math.floor(ROOM / layout.bytes));
  const wanted = Math.min(Math.ceil(BATCH_MS / told.candidate), Math.ceil(ORIGINAL_MS / told.baseline), most);
  const slots = Math.min(room, Math.max(fewest, wanted));
  const sides = ['baseline', 'candidate'] as const;
  for (const side of sides) await onSide(side, rig.slots(side, slots));
  let copies = 0;
  const copied = async (side: Side, copy: () => Promise<void>): Promise<void> => {
    const start = rig.outsideMs(side);
    await onSide(side, copy());
    if (side === 'baseline') copies += rig.outsideMs(side) - start;
  };
  for (let slot = 0; slot < slots; slot++) {
    await rig.keeper.draw(FIRST_DRAW + slot);
    for (const side of sides) await copied(side, () => rig.load(side, slot, options.cold));
  }
  const limitMs = slots * Math.max(options.originalLimitMs, checked.limitMs);
  const turn = async (side: Side, call: boolean): Promise<{ ms: number; slot: number }> => {
    const taken = await onSide(side, rig.turn(side, slots, call, limitMs));
    if (taken) return taken;
    throw new TimedFailure('finding', `scenario ${layout.scenario.id}: ${unconfirmed.message}`, [], [unconfirmed]);
  };
  // What lies between the calls is no part of them: the flushes alone, by the original's process.
  const around = (await turn('baseline', false)).ms;
  const baseline = (await turn('baseline', true)).ms;
  const candidate = await turn('candidate', true);
  for (let slot = 0; slot < slots; slot++) {
    await rig.keeper.draw(FIRST_DRAW + slot);
    for (const side of sides) await copied(side, () => rig.store(side, slot));
    await keepExpected(rig, options.originalLimitMs);
    if (slot === candidate.slot && !(await rig.pieceHolds('candidate')))
      throw new TimedFailure('finding', `scenario ${layout.scenario.id}: ${early.message}`, [], [early]);
    const failure = await compared(rig, layout, checked, `call ${slot + 1} of ${slots} in one go`);
    if (failure) throw failure;
  }
  const beyond = (ms: number, claim: number): number => (ms - around) / slots - claim;
  // The same clock errs with the original too, by a constant or by a share: that much is no lie.
  const error = Math.max(0, beyond(baseline, told.baseline));
  const overhead = overheadMs(rig.emulated);
  const honest = Math.max(overhead, (error / told.baseline) * told.candidate);
  // Far below what was told is no news: a busy moment of the samples.
  const excess = Math.log(Math.max(0.5, 1 + (beyond(candidate.ms, told.candidate) - honest) / told.candidate));
  return { excess, resolution: overhead / told.candidate, gain: gainSeen(rig, timed, copies / slots) };
}

const early: Finding = {
  code: 'time_unconfirmed',
  message: 'results were still changing after the call was said to be done',
};
const unconfirmed: Finding = { code: 'time_unconfirmed', message: 'many calls in one go did not end in time' };

/**
 * Share of the gain told that shows outside; 1 when all of it does.
 * @param copiesMs what getting the inputs and giving the results takes without a call, by the same clock
 */
function gainSeen({ emulated }: Rig, { baseline, candidate, outside }: Timed, copiesMs: number): number {
  const saved = median(outside.baseline) - median(outside.candidate);
  if (!emulated) return saved / median(baseline.map((ms, i) => ms - candidate[i]!));
  // Emulated calls wait for other work of the machine, CPU time does not: shares of a call are compared, not milliseconds.
  const call = median(outside.baseline) - copiesMs;
  const share = saved / call / (1 - median(candidate) / median(baseline));
  // What every call costs beside its work hides the share of short ones; their shortest times tell what they save.
  return Math.max(share, saved / (Math.min(...baseline) - Math.min(...candidate)));
}

/** Least share of a gain that must show outside: copies in and out around a call vary more than the call. */
const SHOWN = 0.5;

/**
 * What all sets of processes say of one scenario's times.
 * @param seen one for each set, two at least
 * @returns a finding when the keeper's time is longer than told, or the gain is not there outside, beyond doubt; a warning
 * when the times are not confirmed
 */
export function confirmTimes(
  scenario: string,
  seen: Seen[],
  emulated: boolean,
): { finding?: Finding; warning?: string } {
  const gain = meanInterval(
    seen.map((s) => s.gain).filter((g) => Number.isFinite(g)),
    0.99,
  );
  if (gain.high < SHOWN) {
    const message = `scenario ${scenario}: of the time it says to save, ${percent(Math.max(0, gain.value))} are saved between its inputs and its results`;
    return { finding: { code: 'time_unconfirmed', message } };
  }
  const interval = meanInterval(
    seen.map((s) => s.excess),
    0.99,
  );
  const [value, low, high] = [interval.value, interval.low, interval.high].map(Math.expm1) as [number, number, number];
  if (low > tolerated(emulated)) {
    const message = `scenario ${scenario}: its calls take ${percent(value)} longer by the keeper's clock than its own process tells`;
    return { finding: { code: 'time_unconfirmed', message } };
  }
  if (emulated) return {};
  if (median(seen.map((s) => s.resolution)) > tolerated(emulated)) {
    const microseconds = overheadMs(emulated) * 1000;
    return {
      warning: `scenario ${scenario}: its calls are so short that the keeper's clock confirms them only to within ${microseconds} µs each`,
    };
  }
  if (high <= tolerated(emulated)) return {};
  const much = high < 1 ? `only to within ${percent(high)}` : 'not at all';
  return {
    warning: `scenario ${scenario}: the keeper's clock confirms the times ${much} (the calls are short, or the machine is busy)`,
  };
}

const percent = (share: number): string => `${(share * 100).toPrecision(2)} %`;
