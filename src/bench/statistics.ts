// Means with intervals.

export interface Estimate {
  mean: number;
  /** Standard error of the mean. */
  error: number;
  low: number;
  high: number;
}

/** Half of a 95 % interval in standard errors; seeds are many enough for the normal one. */
const Z95 = 1.96;

function estimate(mean: number, error: number): Estimate {
  return { mean, error, low: mean - Z95 * error, high: mean + Z95 * error };
}

export function meanOf(values: readonly number[]): Estimate {
  const n = values.length;
  const mean = values.reduce((sum, v) => sum + v, 0) / n;
  const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / Math.max(1, n - 1);
  return estimate(mean, Math.sqrt(variance / n));
}

/** Mean of independent estimates, each with the same weight. */
export function averageOf(estimates: readonly Estimate[]): Estimate {
  const n = estimates.length;
  const mean = estimates.reduce((sum, e) => sum + e.mean, 0) / n;
  return estimate(mean, Math.sqrt(estimates.reduce((sum, e) => sum + e.error ** 2, 0)) / n);
}

/** (f − random) / (1 − random): 0 is random search, 1 the optimum. */
export function normalized({ mean, error }: Estimate, random: number): Estimate {
  return estimate((mean - random) / (1 - random), error / (1 - random));
}
