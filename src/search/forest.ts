// Random forests for classification (Breiman, "Random forests", Machine Learning 45, 2001): trees on bootstrap samples, each split
// the purest (Gini) among thresholds of a few random features.
import type { RandomSource } from './random-source.js';

type Tree = { share: number; leaf: number } | { feature: number; threshold: number; below: Tree; above: Tree };

const LEAST_LEAF = 2;
const DEEPEST = 12;

export class Forest {
  private constructor(private readonly trees: readonly Tree[]) {}

  /** @param rows features of each example @param labels whether it belongs to the class */
  static grow(rows: readonly Float64Array[], labels: readonly boolean[], trees: number, random: RandomSource): Forest {
    return new Forest(
      Array.from({ length: trees }, () => {
        const sample = rows.map(() => random.below(rows.length));
        const leaves = { count: 0 };
        return split(rows, labels, sample, 0, random, leaves);
      }),
    );
  }

  /** Probability of the class: mean over the trees of its share in the leaf. */
  probability(row: Float64Array): number {
    return this.leaves(row).reduce((sum, { share }) => sum + share, 0) / this.trees.length;
  }

  /** Share of trees in which two rows fall into one leaf: how alike the forest finds them (Breiman's proximity). */
  proximity(a: Float64Array, b: Float64Array): number {
    const other = this.leaves(b);
    return this.leaves(a).filter(({ leaf }, i) => leaf === other[i]!.leaf).length / this.trees.length;
  }

  private leaves(row: Float64Array): { share: number; leaf: number }[] {
    return this.trees.map((tree) => {
      let node = tree;
      while ('feature' in node) node = row[node.feature]! < node.threshold ? node.below : node.above;
      return node;
    });
  }
}

function split(
  rows: readonly Float64Array[],
  labels: readonly boolean[],
  sample: readonly number[],
  depth: number,
  random: RandomSource,
  leaves: { count: number },
): Tree {
  const positives = sample.filter((i) => labels[i]).length;
  const leaf = () => ({ share: positives / sample.length, leaf: leaves.count++ });
  if (positives === 0 || positives === sample.length || sample.length < 2 * LEAST_LEAF || depth === DEEPEST)
    return leaf();
  const features = random.shuffled([...rows[0]!.keys()]).slice(0, Math.ceil(Math.sqrt(rows[0]!.length)) + 1);
  const best = features
    .map((feature) => bestThreshold(rows, labels, sample, feature))
    .reduce((a, b) => (b.impurity < a.impurity ? b : a));
  if (best.impurity === Infinity) return leaf();
  const { feature, threshold } = best;
  const below = sample.filter((i) => rows[i]![feature]! < threshold);
  const above = sample.filter((i) => rows[i]![feature]! >= threshold);
  return {
    feature,
    threshold,
    below: split(rows, labels, below, depth + 1, random, leaves),
    above: split(rows, labels, above, depth + 1, random, leaves),
  };
}

/** The threshold between two values of a feature with the least weighted Gini impurity; Infinity where no split is large enough. */
function bestThreshold(
  rows: readonly Float64Array[],
  labels: readonly boolean[],
  sample: readonly number[],
  feature: number,
): { feature: number; threshold: number; impurity: number } {
  const order = [...sample].sort((a, b) => rows[a]![feature]! - rows[b]![feature]!);
  const total = order.filter((i) => labels[i]).length;
  let best = { feature, threshold: 0, impurity: Infinity };
  let positives = 0;
  for (let n = 1; n < order.length; ++n) {
    if (labels[order[n - 1]!]) positives += 1;
    const [left, right] = [rows[order[n - 1]!]![feature]!, rows[order[n]!]![feature]!];
    if (left === right || n < LEAST_LEAF || order.length - n < LEAST_LEAF) continue;
    const impurity = gini(positives, n) + gini(total - positives, order.length - n);
    if (impurity < best.impurity) best = { feature, threshold: (left + right) / 2, impurity };
  }
  return best;
}

/** Gini impurity times the size. */
function gini(positives: number, size: number): number {
  return (2 * positives * (size - positives)) / size;
}
