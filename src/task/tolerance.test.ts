// Frozen tolerances and the mean over scenarios.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { geometricMean } from './objective.js';
import { acceptsZeros, defaultTolerance, freezeTolerance, type Measurement } from './tolerance.js';

const quiet: Measurement = {
  name: 'y',
  scenario: 'n=4',
  dtype: 'float',
  maxAbs: 10,
  medianAbs: 2,
  repeatAbs: 0,
  repeatRel: 0,
  ulpAbs: 1e-6,
  ulpRel: 1e-7,
};

describe('freezeTolerance', () => {
  it('keeps the floor of a quiet output, atol scaled to its values', () => {
    expect(freezeTolerance([quiet])).toEqual({ tolerances: { y: { rtol: 1e-5, atol: 2e-5 } }, warnings: [] });
  });

  it('takes four times a spread above the floor', () => {
    expect(freezeTolerance([{ ...quiet, ulpRel: 1.5e-5 }]).tolerances['y']).toEqual({ rtol: 1e-4, atol: 2e-5 });
    expect(freezeTolerance([{ ...quiet, repeatRel: 1e-4 }]).tolerances['y']).toEqual({ rtol: 5e-4, atol: 2e-5 });
  });

  it('turns to the absolute spread where cancellation makes the relative one meaningless', () => {
    const cancelling = { ...quiet, ulpRel: 3, ulpAbs: 1e-4 };
    expect(freezeTolerance([cancelling]).tolerances['y']).toEqual({ rtol: 1e-5, atol: 5e-4 });
  });

  it('caps, and says so', () => {
    const { tolerances, warnings } = freezeTolerance([{ ...quiet, repeatRel: 'inf', repeatAbs: 5 }]);
    expect(tolerances['y']).toEqual({ rtol: 1e-5, atol: 1e-2 });
    expect(warnings[0]).toContain('moves by 0.50 of its largest value in scenario n=4');
  });

  it('gives 1, 2 or 5 of a decade, so that two measurements freeze the same', () => {
    const rtol = (relative: number) => freezeTolerance([{ ...quiet, ulpRel: relative / 4 }]).tolerances['y']?.rtol;
    expect([2.3e-4, 3.9e-4].map(rtol)).toEqual([5e-4, 5e-4]);
    expect([1e-4, 1.01e-4, 2e-4, 9e-4, 1e-3].map(rtol)).toEqual([1e-4, 2e-4, 2e-4, 1e-3, 1e-3]);
    fc.assert(
      fc.property(fc.double({ min: 1e-5, max: 1e-3, noNaN: true }), (relative) => {
        const frozen = rtol(relative) ?? 0;
        expect(frozen).toBeGreaterThanOrEqual(relative * (1 - 1e-8));
        expect(frozen).toBeLessThanOrEqual(relative * 2.5 * (1 + 1e-8));
        expect(frozen.toExponential()).toMatch(/^[125]e/);
      }),
    );
  });

  it('never rounds beyond the cap', () => {
    const half = { ...quiet, dtype: 'half', maxAbs: 7 };
    expect(freezeTolerance([{ ...half, repeatRel: 7e-3 }]).tolerances['y']?.rtol).toBe(3e-2);
    expect(freezeTolerance([{ ...quiet, maxAbs: 7, repeatRel: 1, repeatAbs: 1 }]).tolerances['y']?.atol).toBe(5e-3);
  });

  it('takes the widest over scenarios and leaves integers exact', () => {
    const wide = { ...quiet, scenario: 'n=8', maxAbs: 1000, medianAbs: 100 };
    const count = { ...quiet, name: 'count', dtype: 'int', repeatAbs: 1 };
    const { tolerances, warnings } = freezeTolerance([quiet, wide, count]);
    expect(tolerances).toEqual({ y: { rtol: 1e-5, atol: 1e-3 } });
    expect(warnings).toEqual(['output count (int) differs between runs of the original in scenario n=4']);
  });

  it('warns when the tolerance cannot tell an output from zeros', () => {
    const tiny = { ...quiet, scenario: 'n=1', maxAbs: 1e-6, medianAbs: 1e-7 };
    const { warnings } = freezeTolerance([quiet, tiny]);
    expect(warnings).toEqual([
      expect.stringContaining('cannot tell its values in scenario n=1 (at most 0.000001) from zeros'),
    ]);
  });

  it('survives what is not finite', () => {
    const odd = { ...quiet, maxAbs: 'inf', medianAbs: 'nan', repeatAbs: 'nan', ulpRel: 'nan' };
    expect(freezeTolerance([odd]).tolerances['y']).toEqual({ rtol: 1e-5, atol: 0 });
  });

  it('rejects zeros exactly where they are outside', () => {
    expect(acceptsZeros({ rtol: 1e-2, atol: 1e-2 }, 1e-3)).toBe(true);
    expect(acceptsZeros({ rtol: 1e-2, atol: 1e-2 }, 1)).toBe(false);
    expect(acceptsZeros({ rtol: 1, atol: 0 }, 5)).toBe(true);
    expect(acceptsZeros({ rtol: 0, atol: 0 }, 0)).toBe(false);
    expect(acceptsZeros({ rtol: 0.1, atol: 1 }, Infinity)).toBe(false);
  });

  it('has tighter defaults for wider types', () => {
    const rtol = (['double', 'float', 'half', '__nv_bfloat16'] as const).map((d) => defaultTolerance(d).rtol);
    expect(rtol).toEqual([...rtol].sort((a, b) => a - b));
    expect(defaultTolerance('int')).toEqual({ rtol: 0, atol: 0 });
  });
});

describe('geometricMean', () => {
  it('weighs scenarios and carries their variances', () => {
    const mean = geometricMean(
      [
        { weight: 1, logMean: Math.log(4), variance: 0.04 },
        { weight: 3, logMean: 0, variance: 0 },
      ],
      2,
    );
    expect(mean?.value).toBeCloseTo(Math.SQRT2, 12);
    expect(mean?.low).toBeCloseTo(Math.SQRT2 * Math.exp(-2 * 0.25 * 0.2), 12);
    expect(mean?.high).toBeCloseTo(Math.SQRT2 * Math.exp(2 * 0.25 * 0.2), 12);
  });

  it('has no value without scenarios', () => {
    expect(geometricMean([], 2)).toBeUndefined();
  });
});
