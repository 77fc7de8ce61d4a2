// Gaussian-process regression (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006): zero mean, Matérn 5/2
// covariance with one length per feature (eq. 4.17 with automatic relevance determination), amplitude profiled out of the
// marginal likelihood (eq. 5.8 maximised over it).

export interface Hyperparameters {
  /** Logarithm of the length over which each feature matters. */
  logLengths: Float64Array;
  /** Logarithm of the noise variance over the signal's. */
  logNoise: number;
}

/** Normal priors of the logarithms: they keep a fit to a handful of points from believing too much. */
const LENGTH_SPREAD = 1;
const NOISE_PRIOR = { mean: Math.log(1e-2), sd: 1.5 };
const LIMIT = 5;
const ROOT5 = Math.sqrt(5);

/** @param length of the prior, in the units of the features */
export function startingHyperparameters(features: number, length: number): Hyperparameters {
  return { logLengths: new Float64Array(features).fill(Math.log(length)), logNoise: NOISE_PRIOR.mean };
}

/** Matérn 5/2 at a squared scaled distance. */
export function matern(squared: number): number {
  const r = ROOT5 * Math.sqrt(squared);
  return (1 + r + (r * r) / 3) * Math.exp(-r);
}

/** Lower Cholesky factor in place of the lower triangle, row by row; false where the matrix is not positive definite. */
export function factorize(matrix: Float64Array, n: number): boolean {
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j <= i; ++j) {
      let sum = matrix[i * n + j]!;
      for (let k = 0; k < j; ++k) sum -= matrix[i * n + k]! * matrix[j * n + k]!;
      if (i !== j) matrix[i * n + j] = sum / matrix[j * n + j]!;
      else if (sum > 0) matrix[i * n + i] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/** Squared distance of two rows in units of the lengths. */
function scaled(a: Float64Array, i: number, b: Float64Array, j: number, weights: Float64Array): number {
  const d = weights.length;
  let sum = 0;
  for (let f = 0; f < d; ++f) {
    const difference = a[i * d + f]! - b[j * d + f]!;
    sum += difference * difference * weights[f]!;
  }
  return sum;
}

const weightsOf = ({ logLengths }: Hyperparameters) => logLengths.map((log) => Math.exp(-2 * log));

/**
 * Minus the logarithm of the posterior of the hyperparameters, up to a constant, and its gradient: lengths first, noise last.
 * @param x rows of features
 * @param y one value a row, of mean 0
 * @param logLength mean of the prior of the lengths
 */
export function objective(
  x: Float64Array,
  y: Float64Array,
  at: Hyperparameters,
  logLength: number,
): { value: number; gradient: Float64Array } {
  const n = y.length;
  const d = at.logLengths.length;
  const weights = weightsOf(at);
  const noise = Math.exp(at.logNoise);
  const factor = new Float64Array(n * n);
  /** Derivative of the covariance by the squared distance, times -2. */
  const slope = new Float64Array(n * n);
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < i; ++j) {
      const r = ROOT5 * Math.sqrt(scaled(x, i, x, j, weights));
      const decay = Math.exp(-r);
      factor[i * n + j] = (1 + r + (r * r) / 3) * decay;
      slope[i * n + j] = (5 / 3) * (1 + r) * decay;
    }
    factor[i * n + i] = 1 + noise;
  }
  const gradient = new Float64Array(d + 1);
  if (!factorize(factor, n)) return { value: Infinity, gradient };
  const inverse = inverseOf(factor, n);
  const alpha = new Float64Array(n);
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) alpha[i]! += inverse[i >= j ? i * n + j : j * n + i]! * y[j]!;
  }
  let fit = 0;
  let determinant = 0;
  let trace = 0;
  let squares = 0;
  for (let i = 0; i < n; ++i) {
    fit += y[i]! * alpha[i]!;
    determinant += Math.log(factor[i * n + i]!);
    trace += inverse[i * n + i]!;
    squares += alpha[i]! * alpha[i]!;
  }
  const amplitude = Math.max(fit / n, 1e-12);
  let value = 0.5 * n * Math.log(amplitude) + determinant;
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < i; ++j) {
      const w = (inverse[i * n + j]! - (alpha[i]! * alpha[j]!) / amplitude) * slope[i * n + j]!;
      for (let f = 0; f < d; ++f) {
        const difference = x[i * d + f]! - x[j * d + f]!;
        gradient[f]! += w * difference * difference * weights[f]!;
      }
    }
  }
  gradient[d] = 0.5 * noise * (trace - squares / amplitude);
  const prior = (log: number, { mean, sd }: { mean: number; sd: number }, f: number) => {
    const z = (log - mean) / sd;
    value += 0.5 * z * z;
    gradient[f]! += z / sd;
  };
  at.logLengths.forEach((log, f) => prior(log, { mean: logLength, sd: LENGTH_SPREAD }, f));
  prior(at.logNoise, NOISE_PRIOR, d);
  return { value, gradient };
}

/** Lower triangle of the inverse of L·Lᵀ. */
function inverseOf(factor: Float64Array, n: number): Float64Array {
  const triangle = new Float64Array(n * n);
  for (let j = 0; j < n; ++j) {
    triangle[j * n + j] = 1 / factor[j * n + j]!;
    for (let i = j + 1; i < n; ++i) {
      let sum = 0;
      for (let k = j; k < i; ++k) sum -= factor[i * n + k]! * triangle[k * n + j]!;
      triangle[i * n + j] = sum / factor[i * n + i]!;
    }
  }
  const inverse = new Float64Array(n * n);
  for (let k = 0; k < n; ++k) {
    for (let i = 0; i <= k; ++i) {
      const a = triangle[k * n + i]!;
      for (let j = 0; j <= i; ++j) inverse[i * n + j]! += a * triangle[k * n + j]!;
    }
  }
  return inverse;
}

/**
 * The most probable hyperparameters near a start, by Rprop (Riedmiller and Braun, ICNN 1993): step sizes of their own per
 * parameter, from the signs of the gradient alone.
 */
export function fitHyperparameters(
  x: Float64Array,
  y: Float64Array,
  start: Hyperparameters,
  logLength: number,
  steps: number,
): Hyperparameters {
  const d = start.logLengths.length;
  const at = { logLengths: start.logLengths.slice(), logNoise: start.logNoise };
  const size = new Float64Array(d + 1).fill(0.2);
  let before: Float64Array = new Float64Array(d + 1);
  let best = { value: Infinity, at: start };
  for (let step = 0; step < steps; ++step) {
    const { value, gradient } = objective(x, y, at, logLength);
    if (value < best.value) best = { value, at: { logLengths: at.logLengths.slice(), logNoise: at.logNoise } };
    for (let f = 0; f <= d; ++f) {
      const agreement = gradient[f]! * before[f]!;
      if (agreement > 0) size[f] = Math.min(0.6, size[f]! * 1.3);
      else if (agreement < 0) {
        size[f] = Math.max(1e-3, size[f]! * 0.5);
        gradient[f] = 0;
      }
      const move = -Math.sign(gradient[f]!) * size[f]!;
      if (f < d) at.logLengths[f] = Math.min(LIMIT, Math.max(-LIMIT, at.logLengths[f]! + move));
      else at.logNoise = Math.min(LIMIT, Math.max(-3 * LIMIT, at.logNoise + move));
    }
    before = gradient;
  }
  return best.at;
}

/**
 * Predictions at a fixed set of candidates, kept up to date one observation at a time: with the factor grows one row of
 * L⁻¹·K(observed, candidates), so an observation costs (observations × candidates) and no more.
 */
export class Predictor {
  private readonly factor: Float64Array[] = [];
  private readonly rows: Float64Array[] = [];
  private readonly observed: Float64Array[] = [];
  private readonly weights: Float64Array;
  private readonly noise: number;
  /** Part of the variance of each candidate that observations explain, over the amplitude. */
  private readonly explained: Float64Array;

  /** @param candidates rows of features */
  constructor(
    private readonly candidates: Float64Array,
    hyperparameters: Hyperparameters,
  ) {
    this.weights = weightsOf(hyperparameters);
    this.noise = Math.exp(hyperparameters.logNoise);
    this.explained = new Float64Array(candidates.length / this.weights.length);
  }

  get observations(): number {
    return this.observed.length;
  }

  observe(features: Float64Array): void {
    const n = this.observed.length;
    const row = new Float64Array(n + 1);
    row.set(this.covariances(features));
    row[n] = Math.sqrt(Math.max(1 + this.noise - row.reduce((sum, v) => sum + v * v, 0), 1e-8));
    const across = new Float64Array(this.explained.length);
    for (let c = 0; c < across.length; ++c) across[c] = matern(scaled(this.candidates, c, features, 0, this.weights));
    // Two rows at a time: this loop is where the time goes, and halving the passes over `across` halves it.
    for (let k = 0; k < n; k += 2) {
      const [a, one] = [row[k]!, this.rows[k]!];
      const [b, two] = k + 1 < n ? [row[k + 1]!, this.rows[k + 1]!] : [0, one];
      for (let c = 0; c < across.length; ++c) across[c]! -= a * one[c]! + b * two[c]!;
    }
    for (let c = 0; c < across.length; ++c) {
      across[c]! /= row[n];
      this.explained[c]! += across[c]! * across[c]!;
    }
    this.factor.push(row);
    this.rows.push(across);
    this.observed.push(features);
  }

  /** Where to come back to after observations that were only supposed. */
  mark(): { observations: number; explained: Float64Array } {
    return { observations: this.observed.length, explained: this.explained.slice() };
  }

  rewind({ observations, explained }: { observations: number; explained: Float64Array }): void {
    for (const list of [this.factor, this.rows, this.observed]) list.length = observations;
    this.explained.set(explained);
  }

  /** Posterior mean and standard deviation of the noiseless function at every candidate. @param y one value an observation */
  predict(y: Float64Array): { mean: Float64Array; sd: Float64Array } {
    const { z, amplitude } = this.whitened(y);
    const mean = new Float64Array(this.explained.length);
    for (const [i, row] of this.rows.entries()) {
      for (let c = 0; c < mean.length; ++c) mean[c]! += z[i]! * row[c]!;
    }
    return { mean, sd: this.explained.map((e) => deviation(amplitude, e)) };
  }

  /** The same at any other place; (observations²) a call of what it returns. */
  elsewhere(y: Float64Array): (features: Float64Array) => { mean: number; sd: number } {
    const { z, amplitude } = this.whitened(y);
    return (features) => {
      const row = this.covariances(features);
      const mean = row.reduce((sum, v, i) => sum + v * z[i]!, 0);
      return {
        mean,
        sd: deviation(
          amplitude,
          row.reduce((sum, v) => sum + v * v, 0),
        ),
      };
    };
  }

  /** L⁻¹·k of a place with all observations. */
  private covariances(features: Float64Array): Float64Array {
    const row = new Float64Array(this.observed.length);
    for (let j = 0; j < row.length; ++j) {
      const factor = this.factor[j]!;
      let sum = matern(scaled(features, 0, this.observed[j]!, 0, this.weights));
      for (let k = 0; k < j; ++k) sum -= row[k]! * factor[k]!;
      row[j] = sum / factor[j]!;
    }
    return row;
  }

  /** L⁻¹·y, and the most likely amplitude. */
  private whitened(y: Float64Array): { z: Float64Array; amplitude: number } {
    const z = new Float64Array(y.length);
    let squares = 0;
    for (let i = 0; i < y.length; ++i) {
      let sum = y[i]!;
      for (let k = 0; k < i; ++k) sum -= this.factor[i]![k]! * z[k]!;
      z[i] = sum / this.factor[i]![i]!;
      squares += z[i]! * z[i]!;
    }
    return { z, amplitude: Math.max(squares / y.length, 1e-12) };
  }
}

function deviation(amplitude: number, explained: number): number {
  return Math.sqrt(amplitude * Math.max(1 - explained, 1e-9));
}
