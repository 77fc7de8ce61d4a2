// What the keeper says of results, read from its lines (harness/keeper.cpp).
import { LIMITS, type WireNumber } from '../protocol.js';

export interface OutputComparison {
  region: number;
  elements: number;
  mismatches: number;
  /** Mismatches in which one of the two is NaN or infinite: `maxAbs`, `maxRel` and `worst` do not cover them. */
  incomparable: number;
  maxAbs: number;
  maxRel: number;
  /** Largest distance over what the tolerance allows at that element. */
  worst: number;
  first: { index: number; expected: WireNumber; got: WireNumber }[];
  /** Why a checker program of the task refuses it. */
  message?: string;
}
export interface Comparison {
  outputs: OutputComparison[];
  /** Writes outside the argument: the damaged byte nearest to it, 0 for the one next to it. */
  fences: { region: number; side: 'before' | 'after'; distance: number }[];
  /** Writes between the elements of a strided argument: the first, in elements from the argument's first one. */
  gaps: { region: number; element: number }[];
  /** Regions of inputs that are not what was handed out. */
  changedInputs: number[];
  /** Regions that lie in the shared segment otherwise than they were handed out. */
  changedSegment: number[];
}
export interface ExpectedDescription {
  region: number;
  /** Would an output of zeros pass? */
  zerosPass: boolean;
  /** Are the expected values zeros themselves? */
  allZero: boolean;
  /** How many elements are NaN. */
  nans: number;
  infinities: number;
  maxAbs: number;
  medianAbs: number;
  /** Rows of a `sorted` output that neither rise nor fall throughout. */
  unsortedRows: number;
}

/** `inf`, `nan` and integers beyond 2^53 stay strings. */
function wireNumberOf(text: string): WireNumber {
  if (/^(nan|-?inf)$/.test(text)) return text;
  const value = Number(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(text) ? text : value;
}

/** As C prints a double that is not negative. */
const magnitudeOf = (text: string | undefined): number => (text === 'inf' ? Infinity : Number(text));

export function readComparison(lines: string[]): Comparison {
  const result: Comparison = { outputs: [], fences: [], gaps: [], changedInputs: [], changedSegment: [] };
  for (const line of lines) {
    const [verb, ...fields] = line.split(' ');
    const [region = NaN, second] = fields.map(Number);
    if (verb === 'output') result.outputs.push(readOutput(fields));
    else if (verb === 'fence')
      result.fences.push({ region, side: fields[1] === 'before' ? 'before' : 'after', distance: Number(fields[2]) });
    else if (verb === 'gap') result.gaps.push({ region, element: second ?? 0 });
    else if (verb === 'input') result.changedInputs.push(region);
    else if (verb === 'handed') result.changedSegment.push(region);
  }
  return result;
}

function readOutput(f: string[]): OutputComparison {
  const count = Math.min(Number(f[7]), LIMITS.mismatches);
  return {
    region: Number(f[0]),
    elements: Number(f[1]),
    mismatches: Number(f[2]),
    incomparable: Number(f[3]),
    maxAbs: magnitudeOf(f[4]),
    maxRel: magnitudeOf(f[5]),
    worst: magnitudeOf(f[6]),
    first: Array.from({ length: count }, (_, i) => ({
      index: Number(f[8 + i * 3]),
      expected: wireNumberOf(f[9 + i * 3] ?? 'nan'),
      got: wireNumberOf(f[10 + i * 3] ?? 'nan'),
    })),
  };
}

export function readDescriptions(lines: string[]): ExpectedDescription[] {
  return lines.map((line) => {
    const [, region, passes, allZero, nans, infinities, maxAbs, medianAbs, unsortedRows] = line.split(' ');
    return {
      region: Number(region),
      zerosPass: passes === '1',
      allZero: allZero === '1',
      nans: Number(nans),
      infinities: Number(infinities),
      maxAbs: magnitudeOf(maxAbs),
      medianAbs: magnitudeOf(medianAbs),
      unsortedRows: Number(unsortedRows),
    };
  });
}
