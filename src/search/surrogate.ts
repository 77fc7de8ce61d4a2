// Bayesian optimisation, the default search: a Gaussian process over the space, and expected improvement (Jones, Schonlau and
// Welch, "Efficient global optimization of expensive black-box functions", 1998) over a pool of candidates. What it does is a
// function of its seed and of what it was told, in that order: nothing else needs to be kept to resume it.
import { Features } from './features.js';
import { fitHyperparameters, type Hyperparameters, Predictor, startingHyperparameters } from './gaussian-process.js';
import { logExpectedImprovement } from './normal.js';
import { Known, type Optimizer, type Outcome } from './optimizer.js';
import { candidatePool, listPoints, type Point, randomPoint, variations } from './pool.js';
import { unvisited } from './random.js';
import { RandomSource } from './random-source.js';
import type { Configuration, Space } from './space.js';

/** What leave-one-kernel-out chooses among (docs/search.md). */
export interface SurrogateSettings {
  /** Evaluations before the first model, spread over the space. */
  first: number;
  /** Length over which a feature matters before anything is known, in its whole range. */
  length: number;
}

export const SURROGATE: SurrogateSettings = { first: 8, length: 0.5 };

/** Settings worth trying in place of those. */
export const SURROGATE_GRID: readonly SurrogateSettings[] = [8, 15].flatMap((first) =>
  [0.25, 0.5, 1].map((length) => ({ first, length })),
);

/** Draws among which the farthest from all known is taken, for each of the first. */
const SPREAD = 10;
/** Hyperparameters are fitted anew when evaluations have grown by this factor. */
const REFIT = 1.2;
/** Steps of the first fit, and of those that go on from it. */
const FIRST_STEPS = 30;
const LATER_STEPS = 12;
/** Best candidates looked through for one that is not doubtful. */
const PATIENCE = 64;
/** Steps uphill from the best of the pool. */
const CLIMB = 8;
/** The best points whose neighbourhood belongs to the pool. */
const CENTRES = 5;

/** @param start tried first where it is not known: the configuration the sources already have */
export function surrogateSearch(space: Space, seed: number, start?: Configuration, settings = SURROGATE): Optimizer {
  return new Surrogate(space, seed, start, settings);
}

interface Told {
  point: Point;
  outcome: Outcome;
}

interface Candidate {
  point: Point;
  key: string;
}

interface Model {
  hyperparameters: Hyperparameters;
  pool: readonly Candidate[];
  predictor: Predictor;
}

class Surrogate implements Optimizer {
  private readonly known: Known;
  private readonly features: Features;
  /** By point, in the order of the telling. */
  private readonly told = new Map<string, Told>();
  private readonly listed: readonly Point[] | undefined;
  private model: Model | undefined;
  private nextFit: number;

  constructor(
    private readonly space: Space,
    private readonly seed: number,
    private readonly start: Configuration | undefined,
    private readonly settings: SurrogateSettings,
  ) {
    this.known = new Known(space);
    this.features = new Features(space);
    this.listed = listPoints(space);
    this.nextFit = settings.first;
  }

  tell(configuration: Configuration, outcome: Outcome): void {
    this.known.set(configuration, outcome);
    const point = this.space.point(configuration) ?? [];
    this.told.set(point.join(), { point, outcome });
  }

  ask(count = 1): Configuration[] {
    const chosen = new Map<string, Point>();
    const add = (points: readonly Point[]) => points.forEach((p) => chosen.set(p.join(), p));
    const start = this.start && this.space.contains(this.start) ? this.space.point(this.start) : undefined;
    if (start && !this.told.has(start.join())) add([start]);
    this.fitWhereDue();
    for (const propose of [this.improving, this.spread, this.others]) {
      if (chosen.size < count) add(propose.call(this, count - chosen.size, chosen));
    }
    return [...chosen.values()].slice(0, count).map((p) => this.space.configuration(p));
  }

  /** The candidates with the largest expected improvement; each is believed to come out as predicted for the next. */
  private improving(count: number, taken: ReadonlyMap<string, Point>): Point[] {
    if (!this.model) return [];
    const { pool, predictor } = this.model;
    const told = [...this.told.values()];
    for (const { point } of told.slice(predictor.observations)) predictor.observe(this.features.row(point));
    const mark = predictor.mark();
    const chosen = new Map(taken);
    const isTaken = (key: string) => this.told.has(key) || chosen.has(key);
    let y = Float64Array.from(standardized(told) ?? []);
    while (chosen.size < taken.size + count) {
      const { mean, sd } = predictor.predict(y);
      const best = Math.min(...y);
      const gains = pool.map(({ key }, i) =>
        isTaken(key) ? -Infinity : logExpectedImprovement(best - mean[i]!, sd[i]!),
      );
      const from = this.bestCandidate(gains, pool);
      if (from === undefined) break;
      const predict = predictor.elsewhere(y);
      const gainAt = (point: Point) => {
        if (isTaken(point.join())) return -Infinity;
        const at = predict(this.features.row(point));
        return logExpectedImprovement(best - at.mean, at.sd);
      };
      const point = this.climb(pool[from]!.point, gainAt);
      chosen.set(point.join(), point);
      const row = this.features.row(point);
      const believed = predict(row).mean;
      predictor.observe(row);
      y = Float64Array.of(...y, believed);
    }
    predictor.rewind(mark);
    return [...chosen.values()].slice(taken.size);
  }

  /** From the best of the pool to where no change of one value gains more: a pool of a large space misses the very best. */
  private climb(from: Point, gainAt: (point: Point) => number): Point {
    let at = { point: from, gain: gainAt(from) };
    for (let step = 0; step < CLIMB; ++step) {
      const better = variations(this.space, at.point)
        .map((point) => ({ point, gain: gainAt(point) }))
        .filter(({ gain }) => gain > at.gain)
        .sort((a, b) => b.gain - a.gain)
        .slice(0, PATIENCE)
        .find(({ point }) => !this.isDoubtful(point));
      if (!better) break;
      at = better;
    }
    return at.point;
  }

  /** Index of the largest gain; of a doubtful candidate only where there is no other among the best. */
  private bestCandidate(gains: readonly number[], pool: readonly Candidate[]): number | undefined {
    let best: number | undefined;
    const left = [...gains];
    for (let tries = 0; tries < PATIENCE; ++tries) {
      let top = 0;
      for (let i = 1; i < left.length; ++i) if (left[i]! > left[top]!) top = i;
      if (left[top] === undefined || left[top] === -Infinity) break;
      best ??= top;
      if (!this.isDoubtful(pool[top]!.point)) return top;
      left[top] = -Infinity;
    }
    return best;
  }

  /** Random draws that keep away from what is known (best candidate sampling: Mitchell, SIGGRAPH 1991). */
  private spread(count: number, taken: ReadonlyMap<string, Point>): Point[] {
    const chosen = new Map(taken);
    const rows = [...[...this.told.values()].map(({ point }) => point), ...taken.values()].map((p) =>
      this.features.row(p),
    );
    for (let tries = 0; tries < 2 * count && chosen.size < taken.size + count; ++tries) {
      const random = new RandomSource(this.seed + (this.told.size + chosen.size + 1) * 2 ** 32 + tries);
      let best: { point: Point; row: Float64Array; distance: number } | undefined;
      for (let draw = 0; draw < SPREAD; ++draw) {
        const point = randomPoint(this.space, this.listed, random);
        if (!point || this.told.has(point.join()) || chosen.has(point.join()) || this.isDoubtful(point)) continue;
        const row = this.features.row(point);
        const distance = Math.min(...rows.map((other) => cityBlock(row, other)));
        if (!best || distance > best.distance) best = { point, row, distance };
      }
      if (!best) continue;
      chosen.set(best.point.join(), best.point);
      rows.push(best.row);
    }
    return [...chosen.values()].slice(taken.size);
  }

  /** Whatever is left, in an order fixed by the seed. */
  private others(count: number, taken: ReadonlyMap<string, Point>): Point[] {
    const found = new Map(taken);
    for (const configuration of unvisited(this.space, this.seed, this.known)) {
      const point = this.space.point(configuration) ?? [];
      found.set(point.join(), point);
      if (found.size >= taken.size + count) break;
    }
    return [...found.values()].slice(taken.size);
  }

  /** Makes every fit that has come due, each from what was told by then: so a resumed search has the same model. */
  private fitWhereDue(): void {
    const told = [...this.told.values()];
    for (; this.nextFit <= told.length; this.nextFit = Math.max(this.nextFit + 1, Math.ceil(this.nextFit * REFIT))) {
      const past = told.slice(0, this.nextFit);
      const y = standardized(past);
      if (!y) continue;
      const rows = this.features.rows(past.map(({ point }) => point));
      const before = this.model?.hyperparameters;
      const hyperparameters = fitHyperparameters(
        rows,
        Float64Array.from(y),
        before ?? startingHyperparameters(this.features.length, this.settings.length),
        Math.log(this.settings.length),
        before ? LATER_STEPS : FIRST_STEPS,
      );
      const best = past.map(({ point }, i) => ({ point, y: y[i]! })).sort((a, b) => a.y - b.y);
      const random = new RandomSource(this.seed - this.nextFit * 2 ** 32);
      const centres = best.slice(0, CENTRES).map(({ point }) => point);
      const points = candidatePool(this.space, this.listed, random, centres);
      const predictor = new Predictor(this.features.rows(points), hyperparameters);
      this.model = { hyperparameters, pool: points.map((point) => ({ point, key: point.join() })), predictor };
    }
  }

  private isDoubtful(point: Point): boolean {
    return this.known.isDoubtful(this.space.configuration(point));
  }
}

/**
 * Logarithms of the costs with mean 0 and deviation 1; costs themselves where some are not positive. What failed counts as the
 * worst that worked. Undefined when nothing has worked.
 */
function standardized(told: readonly Told[]): number[] | undefined {
  const costs = told.map(({ outcome }) => (outcome.kind === 'value' ? outcome.value : undefined));
  const values = costs.filter((c) => c !== undefined);
  if (values.length === 0) return undefined;
  const scale = values.every((v) => v > 0) ? Math.log : (v: number) => v;
  const worst = scale(Math.max(...values));
  const y = costs.map((c) => (c === undefined ? worst : scale(c)));
  const mean = y.reduce((sum, v) => sum + v, 0) / y.length;
  const sd = Math.sqrt(y.reduce((sum, v) => sum + (v - mean) ** 2, 0) / y.length) || 1;
  return y.map((v) => (v - mean) / sd);
}

function cityBlock(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, v, f) => sum + Math.abs(v - b[f]!), 0);
}
