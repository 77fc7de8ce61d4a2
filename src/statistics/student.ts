// Student's t distribution, for intervals of means.

/** Quantile of Student's t distribution by bisection on its distribution function; p ≥ ½, whole degrees of freedom. */
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
