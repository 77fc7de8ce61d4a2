// Are the times that a candidate's process tells the true ones? The keeper makes all sides call on many buffers in one go,
// by its own clock, with inputs that differ from buffer to buffer, and every result is checked.
import type { Finding, ScenarioTiming } from '../protocol.js';
import { atLeast, byKeeper, gainOutside, Work } from './borne-out.js';
import type { Checked } from './check.js';
import { keepExpected } from './expected.js';
import type { Layout } from './layout.js';
import type { Rig, Side, TimedSide } from './rig.js';
import { onSide } from './side.js';
import { meanInterval, median } from './statistics.js';
import { compared, type Timed, TimedFailure, type Times } from './timing.js';

/**
 * Share by which the keeper's time may exceed the one told. Emulated calls share their cores with everything else: the mean of
 * a batch lies far above the median of single calls there, and no time of theirs is shown as speed.
 */
const tolerated = (emulated: boolean): number => (emulated ? 1 : 0.05);
/** Long enough for what the clock does not resolve not to matter, milliseconds. */
const batchMs = (emulated: boolean): number => (emulated ? 20 : 2);
const [fewest, most] = [2, 128];
/** Time for drawing, copying and comparing them all, milliseconds. */
const COPIES_MS = 400;
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
  /** Share of the gain told that shows between handing out the inputs and having the results. */
  gain: number;
  /** What clocks outside bear out of the times told, milliseconds: one of each side; the original's is the one it told. */
  borne: Times;
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
  const told = toldBy(timed);
  const room = Math.max(1, Math.floor(ROOM / layout.bytes));
  const wanted = Math.min(
    Math.ceil(batchMs(rig.emulated) / told.candidate),
    Math.ceil(ORIGINAL_MS / told.baseline),
    most,
  );
  const slots = Math.min(room, Math.max(fewest, Math.min(wanted, Math.floor(COPIES_MS / checked.pairMs))));
  const sides = rig.timedSides;
  for (const side of sides) await onSide(side, rig.slots(side, slots));
  const work = new Work(rig);
  await work.begin();
  for (let slot = 0; slot < slots; slot++) {
    await rig.keeper.draw(FIRST_DRAW + slot);
    for (const side of sides) await work.beside('copies', side, () => onSide(side, rig.load(side, slot, options.cold)));
  }
  const limitMs = slots * Math.max(options.originalLimitMs, checked.limitMs);
  const turn = async (side: Side, call: boolean): Promise<{ ms: number; slot: number }> => {
    const taken = await onSide(side, rig.turn(side, slots, call, limitMs));
    if (taken) return taken;
    throw new TimedFailure('finding', `scenario ${layout.scenario.id}: ${unconfirmed.message}`, [], [unconfirmed]);
  };
  // What lies between the calls is no part of them: the flushes alone, by the original's process.
  const around = (await work.beside('empty', 'baseline', () => turn('baseline', false))).ms;
  const perCall = ({ ms }: { ms: number }): number => (ms - around) / slots;
  const baseline = perCall(await turn('baseline', true));
  const incumbent = sides.includes('incumbent') ? perCall(await turn('incumbent', true)) : undefined;
  const last = await turn('candidate', true);
  const candidate = perCall(last);
  for (let slot = 0; slot < slots; slot++) {
    await rig.keeper.draw(FIRST_DRAW + slot);
    for (const side of sides) await work.beside('copies', side, () => onSide(side, rig.store(side, slot)));
    await keepExpected(rig, options.originalLimitMs);
    if (slot === last.slot && !(await rig.pieceHolds('candidate')))
      throw new TimedFailure('finding', `scenario ${layout.scenario.id}: ${early.message}`, [], [early]);
    const failure = await compared(rig, layout, checked, `call ${slot + 1} of ${slots} in one go`);
    if (failure) throw failure;
  }
  await work.end();
  // The same clock errs with the original too, by a constant or by a share: that much is no lie.
  const error = Math.max(0, baseline - told.baseline);
  const overhead = overheadMs(rig.emulated);
  const honest = Math.max(overhead, (error / told.baseline) * told.candidate);
  // Far below what was told is no news: a busy moment of the samples.
  const excess = Math.log(Math.max(0.5, 1 + (candidate - told.candidate - honest) / told.candidate));
  const borneBy = (side: TimedSide, ms: number): number => {
    // Emulated calls share their cores with everything else, so only their CPU time is exact.
    const byOthers = rig.emulated
      ? told.baseline * (1 - work.saved(side))
      : byKeeper({ baseline, ms }, told.baseline, overhead);
    return Number.isFinite(byOthers) ? atLeast(told[side], byOthers) : told[side];
  };
  const borne = {
    baseline: [told.baseline],
    candidate: [borneBy('candidate', candidate)],
    incumbent: incumbent === undefined ? [] : [borneBy('incumbent', incumbent)],
  };
  const gain = rig.emulated ? work.saved('candidate') / (1 - told.candidate / told.baseline) : gainOutside(timed);
  return { excess, gain, borne };
}

/** What each side's process tells of a call, milliseconds. */
const toldBy = (timed: Timed): Record<TimedSide, number> => ({
  baseline: median(timed.baseline),
  incumbent: median(timed.incumbent),
  candidate: median(timed.candidate),
});

const early: Finding = {
  code: 'time_unconfirmed',
  message: 'results were still changing after the call was said to be done',
};
const unconfirmed: Finding = { code: 'time_unconfirmed', message: 'many calls in one go did not end in time' };

/** Least share of a gain that must show outside: copies in and out around a call vary more than the call. */
const SHOWN = 0.5;
/** A lie about less than this is no finding on a GPU; it is no gain either. Milliseconds a call. */
const LEAST_LIE_MS = 0.003;
/** Without a flush before it, a call shorter than this is over before the host has launched the next, milliseconds. */
const LAUNCHED_MS = 0.02;

/** One scenario as all sets of processes tell it, and what clocks outside bear out of that. */
export interface Claim {
  scenario: string;
  told: ScenarioTiming;
  borne: ScenarioTiming;
  /** One of each set, two at least. */
  seen: Seen[];
  /** Whether caches were flushed before each call. */
  cold: boolean;
}

/**
 * @returns a finding when the keeper's time is longer than told, or the gain is not there outside, beyond doubt; else a warning
 * when less is borne out than was told
 */
export function confirmTimes(claim: Claim, emulated: boolean): { finding?: Finding; warning?: string } {
  const { scenario, seen } = claim;
  const [told, borne] = [claim.told.speedup, claim.borne.speedup];
  const unconfirmedBy = (what: string): { finding: Finding } => ({
    finding: { code: 'time_unconfirmed', message: `scenario ${scenario}: ${what}` },
  });
  const gain = meanInterval(
    seen.map((s) => s.gain).filter((g) => Number.isFinite(g)),
    0.99,
  );
  if (told.low > 1 && gain.high < SHOWN)
    return unconfirmedBy(
      `of the time it says to save, ${percent(Math.max(0, gain.value))} are saved between its inputs and its results`,
    );
  // What a batch of such calls takes is the host's time, and honest ones are longer by it than they tell.
  const isHostBound = !emulated && !claim.cold && claim.told.candidateMs < LAUNCHED_MS;
  const excess = meanInterval(
    seen.map((s) => s.excess),
    0.99,
  );
  if (!isHostBound && Math.expm1(excess.low) > tolerated(emulated))
    return unconfirmedBy(
      `its calls take ${percent(Math.expm1(excess.value))} longer by the keeper's clock than its own process tells`,
    );
  const saved = { told: 1 - 1 / told.low, borne: 1 - 1 / borne.high };
  const lie = (saved.told - saved.borne) * claim.told.baselineMs;
  const words = `its own process tells ${times(told.value)}, by clocks outside it is ${times(borne.value)} (${times(borne.low)} to ${times(borne.high)})`;
  const isContradicted = told.low > 1 && saved.borne < SHOWN * saved.told && lie > LEAST_LIE_MS;
  if (isContradicted && !emulated && !isHostBound) return unconfirmedBy(words);
  if (told.value > borne.high) return { warning: `scenario ${scenario}: ${words}; that is what counts` };
  if (told.low > 1 && borne.low < NEARLY * told.low) {
    const low = `clocks outside bear out no more than ${times(borne.low)} with certainty`;
    return { warning: `scenario ${scenario}: ${low}: its calls are short, or the machine is busy` };
  }
  return {};
}

/** So much of what is told is as good as all. */
const NEARLY = 0.95;

const times = (ratio: number): string => `${ratio.toPrecision(3)}×`;
const percent = (share: number): string => `${(share * 100).toPrecision(2)} %`;
