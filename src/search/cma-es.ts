// CMA-ES for continuous variables: Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772, with active covariance
// update, and with the defaults of pycma 4 where the two differ (cumulation of the step size, stopping criteria).
import { eigen } from './eigen.js';
import type { RandomSource } from './random-source.js';

export interface CmaOptions {
  mean: readonly number[];
  sigma: number;
  /** Samples a generation; absent: 4 + ⌊3 ln n⌋. */
  population?: number;
  /**
   * Least standard deviation of each variable. Where values are rounded to integers, a narrower distribution gives samples that
   * are all the same, and the variable would be stuck (Hansen, "A CMA-ES for mixed-integer nonlinear optimization", 2011).
   */
  least?: readonly number[];
  /** Generations at most; absent: 100 + 150 (n + 3)² / √population. */
  generations?: number;
}

export function defaultPopulation(n: number): number {
  return 4 + Math.floor(3 * Math.log(n));
}

export class CmaEs {
  readonly population: number;
  /** Most generations of this run. */
  readonly generations: number;
  generation = 0;
  evaluations = 0;
  mean: number[];
  sigma: number;
  private readonly n: number;
  private readonly weights: Weights;
  private readonly cc: number;
  private readonly cs: number;
  private readonly c1: number;
  private readonly cmu: number;
  private readonly damping: number;
  private covariance: number[][];
  /** Columns are axes of the covariance, beside their lengths. */
  private axes: number[][];
  private lengths: number[];
  private pathC: number[];
  private pathS: number[];
  private readonly initialSigma: number;
  private readonly least: readonly number[];
  private last: readonly number[] = [];
  /** Best and median of each generation. */
  private readonly bests: number[] = [];
  private readonly medians: number[] = [];

  constructor(
    { mean, sigma, population, generations, least }: CmaOptions,
    private readonly random: RandomSource,
  ) {
    const n = mean.length;
    this.n = n;
    this.mean = [...mean];
    this.sigma = sigma;
    this.initialSigma = sigma;
    this.least = least ?? mean.map(() => 0);
    this.population = population ?? defaultPopulation(n);
    this.generations = generations ?? 100 + Math.floor((150 * (n + 3) ** 2) / Math.sqrt(this.population));
    const positive = positiveWeights(this.population);
    const { mueff } = positive;
    this.cc = (4 + mueff / n) / (n + 4 + (2 * mueff) / n);
    this.cs = (mueff + 2) / (n + mueff + 3);
    this.c1 = (Math.min(1, this.population / 6) * 2) / ((n + 1.3) ** 2 + mueff);
    this.cmu = Math.min(1 - this.c1, (2 * (0.25 + mueff + 1 / mueff - 2)) / ((n + 2) ** 2 + mueff));
    this.damping = 1 + 2 * Math.max(0, Math.sqrt((mueff - 1) / (n + 1)) - 1) + this.cs;
    this.weights = withNegative(positive, this.population, n, this.c1, this.cmu);
    this.covariance = identity(n);
    this.axes = identity(n);
    this.lengths = new Array<number>(n).fill(1);
    this.pathC = new Array<number>(n).fill(0);
    this.pathS = new Array<number>(n).fill(0);
  }

  /** A generation of samples. */
  ask(): number[][] {
    return Array.from({ length: this.population }, () => {
      const z = this.lengths.map((length) => length * this.random.normal());
      return this.mean.map((m, i) => m + this.sigma * this.axes[i]!.reduce((sum, b, k) => sum + b * z[k]!, 0));
    });
  }

  /** Takes a whole generation. @param costs lower is better; what failed is Infinity */
  tell(samples: readonly (readonly number[])[], costs: readonly number[]): void {
    const { n, cc, cs, c1, cmu, weights } = this;
    this.generation += 1;
    this.evaluations += samples.length;
    const order = [...costs.keys()].sort((a, b) => costs[a]! - costs[b]!);
    this.last = order.map((i) => costs[i]!);
    this.bests.push(this.last[0]!);
    this.medians.push(this.last[Math.floor(this.last.length / 2)]!);
    const steps = order.map((i) => samples[i]!.map((v, d) => (v - this.mean[d]!) / this.sigma));
    const shift = this.mean.map((_, d) => weights.positive.reduce((sum, w, k) => sum + w * steps[k]![d]!, 0));
    this.mean = this.mean.map((m, d) => m + this.sigma * shift[d]!);

    const white = this.whiten(shift);
    this.pathS = this.pathS.map((p, d) => (1 - cs) * p + Math.sqrt(cs * (2 - cs) * weights.mueff) * white[d]!);
    const squared = this.pathS.reduce((sum, p) => sum + p * p, 0);
    const isSteady = squared / (1 - (1 - cs) ** (2 * this.generation)) / n < 2 + 4 / (n + 1);
    const push = isSteady ? Math.sqrt(cc * (2 - cc) * weights.mueff) : 0;
    this.pathC = this.pathC.map((p, d) => (1 - cc) * p + push * shift[d]!);

    // A negative weight is scaled so that no step, however long, takes away more than its share.
    const scaled = weights.all.map((w, k) => {
      if (w >= 0) return w;
      const length = this.whiten(steps[k]!).reduce((sum, v) => sum + v * v, 0);
      return (w * n) / (length + 1e-9);
    });
    const lost = isSteady ? 0 : c1 * cc * (2 - cc);
    const keep = 1 + lost - c1 - cmu * weights.all.reduce((sum, w) => sum + w, 0);
    this.covariance = this.covariance.map((row, i) =>
      row.map((c, j) => {
        const rankMu = scaled.reduce((sum, w, k) => sum + w * steps[k]![i]! * steps[k]![j]!, 0);
        return keep * c + c1 * this.pathC[i]! * this.pathC[j]! + cmu * rankMu;
      }),
    );
    const expected = Math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    this.sigma *= Math.exp(Math.min(1, (cs / this.damping) * (Math.sqrt(squared) / expected - 1)));
    for (const [i, row] of this.covariance.entries()) row[i] = Math.max(row[i]!, (this.least[i]! / this.sigma) ** 2);
    const { values, vectors } = eigen(this.covariance);
    this.axes = vectors;
    this.lengths = values.map((v) => Math.sqrt(Math.max(v, 1e-300)));
  }

  /** Whether going on makes no sense (tutorial, B.3); a restart may. */
  shouldStop(): boolean {
    const { n, generation, sigma, bests } = this;
    if (generation === 0) return false;
    if (generation >= this.generations) return true;
    const spread = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
    const recent = bests.slice(-(10 + Math.ceil((30 * n) / this.population)));
    if (spread([...recent, ...this.last]) < 1e-11 && generation > recent.length - 1) return true;
    if (bests.length > 9 && spread(recent) < 1e-12) return true;
    const widths = this.covariance.map((row, i) => sigma * Math.sqrt(Math.max(0, row[i]!)));
    if (widths.every((w, i) => w < 1e-11 * this.initialSigma && sigma * Math.abs(this.pathC[i]!) < 1e-11)) return true;
    const [least, most] = [Math.min(...this.lengths), Math.max(...this.lengths)];
    if ((most / least) ** 2 > 1e14 || sigma * most > 1e20 * this.initialSigma) return true;
    if (widths.some((w, i) => this.mean[i] === this.mean[i]! + 0.2 * w)) return true;
    return this.stagnates();
  }

  /** Neither best nor median got better over the second half of a long history. */
  private stagnates(): boolean {
    const patience = Math.floor(100 + (100 * this.n ** 1.5) / this.population);
    const length = Math.min(20000, Math.floor(Math.max(0.2 * this.generation, patience)));
    if (this.generation <= this.n * (5 + 100 / this.population) || this.bests.length < 2 * patience) return false;
    const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
    const isFlat = (history: readonly number[]) => {
      const recent = history.slice(-length);
      return median(recent.slice(-20)) >= median(recent.slice(0, 20));
    };
    return isFlat(this.bests) && isFlat(this.medians);
  }

  /** C^(-1/2) times a step. */
  private whiten(step: readonly number[]): number[] {
    const inAxes = this.lengths.map((length, k) => step.reduce((sum, v, i) => sum + v * this.axes[i]![k]!, 0) / length);
    return step.map((_, i) => inAxes.reduce((sum, v, k) => sum + v * this.axes[i]![k]!, 0));
  }
}

interface Weights {
  positive: number[];
  /** One a sample, best first; the later half negative. */
  all: number[];
  mueff: number;
}

/** Tutorial eq. 49 to 53. */
function positiveWeights(population: number): Weights {
  const raw = Array.from({ length: population }, (_, i) => Math.log((population + 1) / 2) - Math.log(i + 1));
  const above = raw.filter((w) => w > 0);
  const total = above.reduce((sum, w) => sum + w, 0);
  const positive = above.map((w) => w / total);
  return { positive, all: raw, mueff: 1 / positive.reduce((sum, w) => sum + w * w, 0) };
}

function withNegative(
  { positive, all, mueff }: Weights,
  population: number,
  n: number,
  c1: number,
  cmu: number,
): Weights {
  const below = all.filter((w) => w < 0);
  const total = below.reduce((sum, w) => sum - w, 0);
  const squares = below.reduce((sum, w) => sum + w * w, 0);
  const muNegative = total ** 2 / squares;
  const share = Math.min(1 + c1 / cmu, 1 + (2 * muNegative) / (mueff + 2), (1 - c1 - cmu) / (n * cmu));
  const negative = below.map((w) => (w / total) * share);
  const zeros = new Array<number>(population - positive.length - negative.length).fill(0);
  return { positive, mueff, all: [...positive, ...zeros, ...negative] };
}

function identity(n: number): number[][] {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? 1 : 0)));
}
