// What a mismatch proves beside how far the original moves by itself.
import { expect, it } from 'vitest';
import type { OutputComparison } from './comparison.js';
import { judge, type Spread } from './spread.js';

const comparison = (parts: Partial<OutputComparison>) => ({
  outputs: [
    { region: 0, elements: 10, mismatches: 1, incomparable: 0, maxAbs: 0, maxRel: 0, worst: 0, first: [], ...parts },
  ],
  fences: [],
  gaps: [],
  changedInputs: [],
  changedSegment: [],
});
const spread = (parts: Partial<OutputComparison>): Spread =>
  new Map([[0, { mismatches: 0, incomparable: 0, maxAbs: 0, worst: 0, ...parts }]]);

it.each([
  ['agrees', { mismatches: 0, maxAbs: 9 }, {}, 'correct'],
  ['differs from an original that never moves', { maxAbs: 1, worst: 2 }, {}, 'wrong'],
  ['differs by as much as the original does', { maxAbs: 4, worst: 4 }, { maxAbs: 1, worst: 1 }, 'inconclusive'],
  ['differs by more', { maxAbs: 4.1, worst: 4 }, { maxAbs: 1, worst: 1 }, 'wrong'],
  // Where large values move far, small ones that are wrong altogether hide behind them in absolute terms.
  ['differs by more beside what is allowed there', { maxAbs: 4, worst: 4.1 }, { maxAbs: 1, worst: 1 }, 'wrong'],
  ['has a NaN where the original has none', { incomparable: 1 }, { maxAbs: 1, worst: 1 }, 'wrong'],
  [
    'has a NaN where the original has one now and then',
    { incomparable: 1 },
    { mismatches: 1, incomparable: 1 },
    'inconclusive',
  ],
  // Exact outputs allow nothing: whatever moves is infinitely beyond it.
  [
    'is an integer that moves as the original does',
    { maxAbs: 1, worst: Infinity },
    { maxAbs: 1, worst: Infinity },
    'inconclusive',
  ],
] as const)('%s', (_, output, own, expected) => {
  expect(judge(comparison(output), spread(own))).toBe(expected);
});
