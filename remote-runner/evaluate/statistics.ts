// Intervals for ratios of paired times. All on the logarithm of baseline time / candidate time, where ratios are symmetric.
import { studentQuantile } from '../../src/statistics/student.js';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

export interface Interval {
  value: number;
  low: number;
  high: number;
}

/**
 * Median with the distribution-free interval of the sign test (order statistics of the binomial): the widest pair of order
 * statistics x(k), x(n+1-k) whose coverage 1 - 2·P(Bin(n, ½) < k) is at least `confidence`. With too few values for that
 * confidence the whole range is given.
 */
export function medianInterval(values: readonly number[], confidence: number): Interval {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  let k = 0;
  let tail = 0;
  let probability = 2 ** -n;
  // tail = P(Bin(n, ½) < k + 1) after adding the term for k
  while (k < n / 2) {
    tail += probability;
    if (2 * tail > 1 - confidence) break;
    probability = (probability * (n - k)) / (k + 1);
    k++;
  }
  const at = Math.max(k, 1) - 1;
  return { value: median(sorted), low: sorted[at] ?? NaN, high: sorted[n - 1 - at] ?? NaN };
}

/** Mean with Student's t interval, `confidence` two-sided. Infinite below two values. */
export function meanInterval(values: readonly number[], confidence: number): Interval {
  const n = values.length;
  const value = mean(values);
  if (n < 2) return { value, low: -Infinity, high: Infinity };
  const variance = values.reduce((sum, v) => sum + (v - value) ** 2, 0) / (n - 1);
  const half = studentQuantile(1 - (1 - confidence) / 2, n - 1) * Math.sqrt(variance / n);
  return { value, low: value - half, high: value + half };
}
