import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { studentQuantile } from '../../src/statistics/student.js';
import { meanInterval, median, medianInterval } from './statistics.js';

describe('statistics', () => {
  it('gives the tabulated quantiles of Student’s t', () => {
    // NIST/SEMATECH e-Handbook, table of critical values.
    const table: [number, number, number][] = [
      [0.975, 1, 12.706],
      [0.975, 2, 4.303],
      [0.975, 5, 2.571],
      [0.975, 30, 2.042],
      [0.995, 2, 9.925],
      [0.995, 3, 5.841],
      [0.995, 10, 3.169],
      [0.999, 8, 4.501],
    ];
    for (const [p, df, value] of table) expect(studentQuantile(p, df)).toBeCloseTo(value, 2);
  });

  it('takes the order statistics of the sign test', () => {
    // n = 10, 95 %: x(2) and x(9), coverage 97.9 %; n = 6: the range, 96.9 %; n = 20: x(6), x(15).
    const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
    expect(medianInterval(upTo(10), 0.95)).toEqual({ value: 5.5, low: 2, high: 9 });
    expect(medianInterval(upTo(6), 0.95)).toEqual({ value: 3.5, low: 1, high: 6 });
    expect(medianInterval(upTo(20), 0.95)).toEqual({ value: 10.5, low: 6, high: 15 });
    expect(medianInterval(upTo(3), 0.95)).toEqual({ value: 2, low: 1, high: 3 });
  });

  it('covers the true median about as often as it says', () => {
    let random = 12345;
    const next = (): number => (random = (random * 1103515245 + 12345) % 2147483648) / 2147483648;
    let covered = 0;
    for (let trial = 0; trial < 2000; trial++) {
      const { low, high } = medianInterval(
        Array.from({ length: 11 }, () => next() ** 3),
        0.95,
      );
      if (low <= 0.125 && 0.125 <= high) covered++;
    }
    expect(covered / 2000).toBeGreaterThan(0.94);
    expect(covered / 2000).toBeLessThan(0.995);
  });

  it('keeps value inside its interval, whatever the values', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 40 }), (values) => {
        for (const i of [medianInterval(values, 0.95), meanInterval(values, 0.99)]) {
          expect(i.low).toBeLessThanOrEqual(i.value + 1e-12);
          expect(i.high).toBeGreaterThanOrEqual(i.value - 1e-12);
        }
        expect(median(values)).toBeLessThanOrEqual(Math.max(...values));
      }),
    );
  });
});
