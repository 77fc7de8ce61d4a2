// Candidates a model chooses among: the whole space where it is small, a sample and the neighbourhood of the best where not.
import type { RandomSource } from './random-source.js';
import type { Space } from './space.js';

/** Points of a pool; a model's work is proportional to it. */
const POOL = 2 ** 11;
/** Grids up to this are listed once. */
const LISTED = 2 ** 17;
/** Draws per wanted point where a restriction allows few. */
const DRAWS = 16;

export type Point = readonly number[];

/** All allowed points of a space, or undefined where its grid is too large to list. */
export function listPoints(space: Space): Point[] | undefined {
  if (space.size > LISTED) return undefined;
  const points: Point[] = [];
  for (let i = 0; i < space.size; ++i) {
    const configuration = space.at(i);
    if (space.contains(configuration)) points.push(space.point(configuration) ?? []);
  }
  return points;
}

/**
 * Distinct allowed points: at most some 2^11 at random, and those around the given ones, which a sample would hardly hold.
 * @param listed what listPoints gave
 */
export function candidatePool(
  space: Space,
  listed: readonly Point[] | undefined,
  random: RandomSource,
  around: readonly Point[],
): Point[] {
  if (listed && listed.length <= POOL) return [...listed];
  const pool = new Map<string, Point>();
  for (const point of around) {
    for (const near of nearby(space, point)) pool.set(near.join(), near);
  }
  for (let draws = 0; pool.size < POOL && draws < POOL * DRAWS; ++draws) {
    const point = randomPoint(space, listed, random);
    if (point) pool.set(point.join(), point);
  }
  return [...pool.values()];
}

/** An allowed point at random, or undefined when the draw was not allowed. */
export function randomPoint(
  space: Space,
  listed: readonly Point[] | undefined,
  random: RandomSource,
): Point | undefined {
  if (listed) return listed[random.below(listed.length)];
  const point = space.dimensions.map((_, d) => random.below(space.values(d).length));
  return space.contains(space.configuration(point)) ? point : undefined;
}

/** Allowed points that differ from this one in one value, or in two by a step each. */
function nearby(space: Space, point: Point): Point[] {
  const steps = space.neighbours(space.configuration(point)).flatMap((c) => space.neighbours(c));
  return [...variations(space, point), ...steps.map((c) => space.point(c) ?? [])];
}

/** Allowed points that differ from this one in one value. */
export function variations(space: Space, point: Point): Point[] {
  return point
    .flatMap((here, d) => space.values(d).flatMap((_, i) => (i === here ? [] : [point.with(d, i)])))
    .filter((p) => space.contains(space.configuration(p)));
}
