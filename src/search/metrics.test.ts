// Metrics of trajectories on paths small enough to work out by hand.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  axisCoverage,
  bestStep,
  configurationDistance,
  coverage,
  pathLength,
  setDistance,
  straightness,
  treeDistance,
} from './metrics.js';

const line = (a: number, b: number): number => Math.abs(a - b);

describe('trajectory metrics', () => {
  test('the best step is the earliest of the highest', () => {
    expect(bestStep([1, undefined, 3, Number.NaN, 3])).toBe(3);
    expect(bestStep([undefined, Number.NaN])).toBeUndefined();
  });

  test('coverage counts places once and only those of the space', () => {
    expect(coverage(['a', 'a', 'x'], ['a', 'b'])).toBe(0.5);
    expect(coverage(['a'], [])).toBe(0);
    const axes = { BLOCK: [32, 64, 128, 256], UNROLL: [1, 2] };
    expect(
      axisCoverage(
        [
          { BLOCK: 32, UNROLL: 1 },
          { BLOCK: 64, UNROLL: 1 },
        ],
        axes,
      ),
    ).toBe(0.5);
  });

  test('a path on a line: its length and how straight it is', () => {
    expect(pathLength([0, 1, 0], line)).toBe(1);
    expect(straightness([0, 1, 0], line)).toBe(0);
    expect(straightness([0, 0.5, 1], line)).toBe(1);
    expect([pathLength([1], line), straightness([], line), pathLength([], line), straightness([2, 2], line)]).toEqual([
      0, 0, 0, 0,
    ]);
  });

  test('distances of configurations and sets', () => {
    expect(configurationDistance({ a: 1, b: 2 }, { a: 1, b: 3 })).toBe(0.5);
    expect(configurationDistance({ a: 1 }, { b: 1 })).toBe(1);
    expect(setDistance(['x', 'y'], ['y', 'z'])).toBeCloseTo(2 / 3);
    expect(setDistance([], [])).toBe(0);
  });

  test('steps in a tree: chain, siblings, different roots, a loop in bad data', () => {
    const parents: Record<string, string> = { b: 'a', c: 'b', d: 'a', l: 'm', m: 'l' };
    const parent = (node: string): string | undefined => parents[node];
    expect(treeDistance('a', 'c', parent)).toBe(2);
    expect(treeDistance('c', 'd', parent)).toBe(3);
    expect(treeDistance('c', 'z', parent)).toBe(4);
    expect(treeDistance('c', 'c', parent)).toBe(0);
    expect(Number.isFinite(treeDistance('l', 'c', parent))).toBe(true);
  });

  test('all lie between 0 and 1, and straightness is 1 only for paths that lead on', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (points) => {
        for (const metric of [pathLength, straightness]) {
          const value = metric(points, line);
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});
