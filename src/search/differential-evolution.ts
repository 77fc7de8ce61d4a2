// Differential evolution, rand/1/bin (Storn and Price, "Differential evolution", Journal of Global Optimization 11, 1997), on the
// ranks of the values: a difference of ordered values is steps, one of others only says that they differ.
import { Fresh, type Wants } from './fresh.js';
import { optimizer, type Optimizer } from './optimizer.js';
import type { Point } from './pool.js';
import { RandomSource } from './random-source.js';
import type { Configuration, Space } from './space.js';

const POPULATION = 16;
const WEIGHT = 0.8;
const CROSSOVER = 0.7;
/** Generations without anything new after which the worse half is replaced. */
const STALE = 3;

export function differentialEvolution(space: Space, seed: number, start?: Configuration): Optimizer {
  return optimizer(space, (known) => search(new Fresh(space, known, seed), new RandomSource(seed), start));
}

function* search(fresh: Fresh, random: RandomSource, start: Configuration | undefined): Wants {
  const { space } = fresh;
  const first = start && space.point(start);
  let population: Point[] = [...(first ? [first] : []), ...fresh.others(POPULATION)];
  let costs = yield* fresh.evaluate(population);
  for (let stale = 0; population.length > 0;) {
    const trials = population.map((parent) => trial(parent, population, space, random));
    stale = trials.some((t) => fresh.has(t)) ? 0 : stale + 1;
    const trialCosts = yield* fresh.evaluate(trials);
    population = population.map((p, i) => (trialCosts[i]! <= costs[i]! && trialCosts[i]! < Infinity ? trials[i]! : p));
    costs = costs.map((c, i) => Math.min(c, trialCosts[i]!));
    if (stale < STALE) continue;
    const newcomers = fresh.others(POPULATION / 2);
    if (newcomers.length === 0) break;
    const order = [...population.keys()].sort((a, b) => costs[a]! - costs[b]!);
    const kept = order.slice(0, POPULATION - newcomers.length);
    const newCosts = yield* fresh.evaluate(newcomers);
    population = [...kept.map((i) => population[i]!), ...newcomers];
    costs = [...kept.map((i) => costs[i]!), ...newCosts];
    stale = 0;
  }
  yield* fresh.drain();
}

/** Another member plus the weighted difference of two, crossed with the parent in at least one place. */
function trial(parent: Point, population: readonly Point[], space: Space, random: RandomSource): Point {
  const [a, b, c] = [0, 0, 0].map(() => population[random.below(population.length)]!);
  const always = random.below(parent.length);
  return parent.map((own, d) => {
    if (d !== always && random.unit() >= CROSSOVER) return own;
    const last = space.values(d).length - 1;
    if (!space.isOrdered(d)) return b![d] === c![d] ? a![d]! : random.below(last + 1);
    const moved = a![d]! + WEIGHT * (b![d]! - c![d]!);
    // Rounded at random, so that small differences move too; what leaves the range comes back by as much.
    const rounded = Math.floor(moved + random.unit());
    return Math.min(last, Math.max(0, rounded < 0 ? -rounded : rounded > last ? 2 * last - rounded : rounded));
  });
}
