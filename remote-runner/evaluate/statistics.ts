// Intervals for ratios of paired times. All on the logarithm of baseline time / candidate time, where ratios are symmetric.

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

/** Quantile of Student's t distribution by bisection on its distribution function. */
export function studentQuantile(p: number, degrees: number): number {
  let low = 0;
  let high = 1;
  while (studentCdf(high, degrees) < p) high *= 2;
  for (let i = 0; i < 80; i++) {
    const middle = (low + high) / 2;
    if (studentCdf(middle, degrees) < p) low = middle;
    else high = middle;
  }
  return high;
}

/** For t ≥ 0, by the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4 for whole degrees of freedom. */
function studentCdf(t: number, degrees: number): number {
  const theta = Math.atan(t / Math.sqrt(degrees));
  const c = Math.cos(theta);
  const s = Math.sin(theta);
  let term = 1;
  let sum = 0;
  if (degrees % 2 === 1) {
    term = c;
    for (let k = 1; k <= degrees - 2; k += 2) {
      sum += term;
      term *= (c * c * (k + 1)) / (k + 2);
    }
    return 0.5 + (theta + s * sum) / Math.PI;
  }
  for (let k = 0; k <= degrees - 2; k += 2) {
    sum += term;
    term *= (c * c * (k + 1)) / (k + 2);
  }
  return 0.5 + (s * sum) / 2;
}
