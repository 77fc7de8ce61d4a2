// The standard normal distribution, and expected improvement under it.

/** Distribution function, by Abramowitz and Stegun 7.1.26; absolute error below 1.5e-7. */
export function normalCdf(z: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(z)) / Math.SQRT2);
  const polynomial = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  const tail = 0.5 * polynomial * Math.exp((-z * z) / 2);
  return z < 0 ? tail : 1 - tail;
}

export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * Logarithm of E[max(0, gain + sd·N)], N standard normal: sd·(z·Φ(z) + φ(z)) with z = gain / sd, and the first terms of its
 * asymptotic series sd·φ(z)·(1/z² − 3/z⁴ + 15/z⁶) far below zero, where the difference would cancel.
 */
export function logExpectedImprovement(gain: number, sd: number): number {
  const z = gain / sd;
  if (z > -4) return Math.log(sd * (z * normalCdf(z) + normalDensity(z)));
  const w = 1 / (z * z);
  return Math.log(sd) - (z * z) / 2 - 0.5 * Math.log(2 * Math.PI) + Math.log(w * (1 - 3 * w + 15 * w * w));
}
