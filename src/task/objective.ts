// One number over all scenarios: the weighted geometric mean of their speedups, with its interval.

/** A scenario's speedup in logarithms: mean of log(baseline / candidate) and the variance of that mean. */
export interface ScenarioLogRatio {
  weight: number;
  logMean: number;
  variance: number;
}

/**
 * Weighted geometric mean of the speedups.
 * @param critical quantile that makes the interval: standard errors on either side, for example 1.96
 * @returns ratios above 1 are faster; undefined without scenarios
 */
export function geometricMean(
  scenarios: readonly ScenarioLogRatio[],
  critical: number,
): { value: number; low: number; high: number } | undefined {
  const total = scenarios.reduce((sum, s) => sum + s.weight, 0);
  if (!(total > 0)) return undefined;
  const mean = scenarios.reduce((sum, s) => sum + (s.weight / total) * s.logMean, 0);
  // Scenarios are measured independently: variances of the weighted parts add up.
  const variance = scenarios.reduce((sum, s) => sum + (s.weight / total) ** 2 * s.variance, 0);
  const half = critical * Math.sqrt(variance);
  return { value: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}
