// Metrics of a trajectory of candidates, for every strategy: how soon its best came, how much of the space it has seen, how
// straight it went. Pure; a space is whatever has a distance, or a number of places.

/**
 * Best step: 1-based index of the step with the highest value, the earliest among equals; undefined for none.
 * @param values one per step in order, such as speedups; undefined or NaN where a step gave none
 */
export function bestStep(values: readonly (number | undefined)[]): number | undefined {
  let best: number | undefined;
  for (const [i, value] of values.entries()) {
    if (value === undefined || Number.isNaN(value)) continue;
    if (best === undefined || value > (values[best] ?? -Infinity)) best = i;
  }
  return best === undefined ? undefined : best + 1;
}

/**
 * Coverage: |visited ∩ places| / |places|, in [0, 1]; 0 for a space without places.
 * @param visited repeats count once
 */
export function coverage<T>(visited: Iterable<T>, places: Iterable<T>): number {
  const space = new Set(places);
  if (space.size === 0) return 0;
  let seen = 0;
  for (const place of new Set(visited)) if (space.has(place)) seen += 1;
  return seen / space.size;
}

/**
 * Coverage of a configuration space: mean over its axes of (distinct values tried / values there are), in [0, 1]. The product
 * space is never seen to more than a sliver, its axes are.
 */
export function axisCoverage(
  tried: readonly Readonly<Record<string, unknown>>[],
  axes: Readonly<Record<string, readonly unknown[]>>,
): number {
  const shares = Object.entries(axes).map(([name, values]) =>
    coverage(
      tried.map((t) => t[name]),
      values,
    ),
  );
  return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/**
 * Normalised path length: mean of d(xᵢ₋₁, xᵢ) over the steps, for a distance with values in [0, 1]. 0: never moved; 1: every
 * step went as far as the space allows. 0 for fewer than two points.
 */
export function pathLength<T>(points: readonly T[], distance: (a: T, b: T) => number): number {
  return points.length < 2 ? 0 : travelled(points, distance) / (points.length - 1);
}

/**
 * Straightness: d(x₁, xₙ) / Σ d(xᵢ₋₁, xᵢ), in [0, 1] for a distance that keeps the triangle inequality. 1: every step led on;
 * near 0: it came back to where it began. 0 for a path that never moved.
 */
export function straightness<T>(points: readonly T[], distance: (a: T, b: T) => number): number {
  const [first, last] = [points[0], points.at(-1)];
  const length = travelled(points, distance);
  return first === undefined || last === undefined || length === 0 ? 0 : distance(first, last) / length;
}

function travelled<T>(points: readonly T[], distance: (a: T, b: T) => number): number {
  let sum = 0;
  for (const [i, point] of points.entries()) {
    const before = points[i - 1];
    if (i > 0 && before !== undefined) sum += distance(before, point);
  }
  return sum;
}

/** Hamming distance of configurations: axes that differ / axes that either has, in [0, 1]. */
export function configurationDistance(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): number {
  const axes = new Set([...Object.keys(a), ...Object.keys(b)]);
  let different = 0;
  for (const axis of axes) if (a[axis] !== b[axis]) different += 1;
  return axes.size === 0 ? 0 : different / axes.size;
}

/** Jaccard distance of sets: 1 − |a ∩ b| / |a ∪ b|; 0 for two empty ones. */
export function setDistance<T>(a: Iterable<T>, b: Iterable<T>): number {
  const [left, right] = [new Set(a), new Set(b)];
  const union = new Set([...left, ...right]).size;
  const shared = [...left].filter((x) => right.has(x)).length;
  return union === 0 ? 0 : 1 - shared / union;
}

/**
 * Steps between two nodes of a tree: up to the nearest common ancestor and down again.
 * @param parent of a node; undefined for a child of the root, which is no node itself
 */
export function treeDistance<T>(a: T, b: T, parent: (node: T) => T | undefined): number {
  const depth = new Map<T | undefined, number>();
  let steps = 0;
  for (let node: T | undefined = a; node !== undefined && !depth.has(node); node = parent(node))
    depth.set(node, steps++);
  if (!depth.has(undefined)) depth.set(undefined, steps);
  const seen = new Set<T>();
  let climbed = 0;
  let node: T | undefined = b;
  while (!depth.has(node) && node !== undefined && !seen.has(node)) {
    seen.add(node);
    node = parent(node);
    climbed += 1;
  }
  return climbed + (depth.get(node) ?? steps);
}
