// How far an output may be off: defaults by dtype, and the tolerance frozen from what the original itself does.
import { isFloating, resolveDtype } from './dtype.js';
import type { Dtype, Tolerance } from './types.js';

/** Some units in the last place: room for another order of summation, none for another precision. */
const FLOORS: Partial<Record<Dtype, Tolerance>> = {
  float: { rtol: 1e-5, atol: 1e-6 },
  double: { rtol: 1e-12, atol: 1e-13 },
  half: { rtol: 2e-3, atol: 1e-3 },
  __nv_bfloat16: { rtol: 1.6e-2, atol: 1e-2 },
};

/** However much the original wobbles, a task that allows more than this checks nothing. Relative to the largest value. */
const CAPS: Partial<Record<Dtype, number>> = { float: 1e-3, double: 1e-8, half: 3e-2, __nv_bfloat16: 1e-1 };

const EXACT: Tolerance = { rtol: 0, atol: 0 };

/** The tolerance of an output whose task says nothing: exact for integers. */
export function defaultTolerance(dtype: Dtype): Tolerance {
  return FLOORS[dtype] ?? EXACT;
}

/**
 * True if an output of zeros would pass where the values reach `maxAbs`: |v| ≤ atol + rtol·|v| for all of them.
 * Infinite values are never matched by zeros.
 */
export function acceptsZeros(tolerance: Tolerance, maxAbs: number): boolean {
  return maxAbs > 0 && maxAbs * (1 - tolerance.rtol) <= tolerance.atol;
}

/** A number as it travels in JSON: `inf`, `-inf` and `nan` as strings. */
type Travelled = number | string;

/** What a calibration says of one output in one scenario; spreads are the largest over the elements. */
export interface Measurement {
  name: string;
  scenario: string;
  dtype: string;
  maxAbs: Travelled;
  medianAbs: Travelled;
  repeatAbs: Travelled;
  repeatRel: Travelled;
  ulpAbs: Travelled;
  ulpRel: Travelled;
}

export interface FrozenTolerances {
  /** By output name; integer outputs are absent: they are exact. */
  tolerances: Record<string, Tolerance>;
  warnings: string[];
}

/**
 * Per output the larger of a floor by dtype and four times the spread of the original between repeats and under one-ulp input
 * changes, capped. The floor of `atol` scales with the median of the values, so that small outputs stay checked. Rounded up to 1, 2
 * or 5 of a decade: measurements differ a little each time, the task should not.
 */
export function freezeTolerance(measurements: readonly Measurement[]): FrozenTolerances {
  const tolerances: Record<string, Tolerance> = {};
  const warnings: string[] = [];
  for (const name of new Set(measurements.map((m) => m.name))) {
    const own = measurements.filter((m) => m.name === name);
    const dtype = resolveDtype(own[0]?.dtype ?? '');
    if (dtype === undefined) continue;
    if (!isFloating(dtype)) {
      const wobbly = own.find((m) => toNumber(m.repeatAbs) > 0);
      if (wobbly) {
        warnings.push(`output ${name} (${dtype}) differs between runs of the original in scenario ${wobbly.scenario}`);
      }
      continue;
    }
    const parts = own.map((m) => freezeOne(m, dtype, warnings));
    const tolerance = {
      rtol: Math.max(...parts.map((p) => p.rtol)),
      atol: Math.max(...parts.map((p) => p.atol)),
    };
    tolerances[name] = tolerance;
    const blind = own.find((m) => acceptsZeros(tolerance, toNumber(m.maxAbs)));
    if (blind) {
      warnings.push(
        `the tolerance of ${name} (rtol ${tolerance.rtol}, atol ${tolerance.atol}) cannot tell its values in scenario ` +
          `${blind.scenario} (at most ${String(blind.maxAbs)}) from zeros: use inputs that give larger values, or a smaller atol`,
      );
    }
  }
  return { tolerances, warnings };
}

function freezeOne(m: Measurement, dtype: Dtype, warnings: string[]): Tolerance {
  const floor = defaultTolerance(dtype);
  const cap = CAPS[dtype] ?? 0;
  const largest = finite(m.maxAbs);
  const typical = finite(m.medianAbs) > 0 ? finite(m.medianAbs) : largest;
  const relative = 4 * Math.max(toNumber(m.repeatRel), toNumber(m.ulpRel));
  const absolute = 4 * Math.max(toNumber(m.repeatAbs), toNumber(m.ulpAbs));
  const atolFloor = floor.rtol * typical;
  // Where the relative spread is small it alone covers all elements; where values cancel to nearly zero it explodes, and the
  // absolute spread is the meaningful one.
  if (relative <= cap)
    return { rtol: Math.min(roundUp(Math.max(floor.rtol, relative)), cap), atol: roundUp(atolFloor) };
  const limit = Math.max(cap * largest, atolFloor);
  if (absolute > limit) {
    const ratio = largest > 0 ? (absolute / 4 / largest).toPrecision(2) : 'without bound';
    warnings.push(
      `output ${m.name} of the original moves by ${ratio} of its largest value in scenario ${m.scenario}: ` +
        `the tolerance is capped at ${cap}, so the original itself may fail`,
    );
  }
  // Up, but not beyond the cap.
  const spread = Math.min(roundUp(absolute), roundDown(limit));
  return { rtol: roundUp(floor.rtol), atol: Math.max(roundUp(atolFloor), spread) };
}

/** NaN counts as no measurement. */
function toNumber(value: Travelled): number {
  const number = value === 'inf' ? Infinity : value === '-inf' ? -Infinity : Number(value);
  return Number.isNaN(number) ? 0 : number;
}

function finite(value: Travelled): number {
  const number = toNumber(value);
  return Number.isFinite(number) ? number : 0;
}

/** The least of 1, 2 and 5 times a power of ten that is not smaller: what a person would write into a task. */
function roundUp(value: number): number {
  return round(value, [1, 2, 5, 10], (step) => step >= value * (1 - 1e-9));
}

/** The largest of them that is not larger. */
function roundDown(value: number): number {
  return round(value, [10, 5, 2, 1], (step) => step <= value * (1 + 1e-9));
}

function round(value: number, steps: readonly number[], fits: (step: number) => boolean): number {
  if (value <= 0 || !Number.isFinite(value)) return Math.max(0, value);
  const decade = 10 ** Math.floor(Math.log10(value));
  return Number(((steps.find((s) => fits(s * decade)) ?? 1) * decade).toPrecision(1));
}
