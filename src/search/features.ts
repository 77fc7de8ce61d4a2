// What a model of a space sees: each configuration as a row of numbers, whose distances mean something.
import type { Space } from './space.js';

/**
 * Rows of features for points of the space. Ordered values become their rank between 0 and 1, whatever their spacing;
 * a categorical value one column of its own, at distance 1 from any other. Numbers whose divisibility by two is not told by
 * their order (16, 48, 64, 80) add it as a column of its own: warps, banks and vectors come in powers of two.
 */
export class Features {
  /** Per dimension and value index the numbers it contributes. */
  private readonly table: readonly (readonly (readonly number[])[])[];
  readonly length: number;

  constructor(space: Space) {
    this.table = space.dimensions.map((_, d) => columnsOf(space, d));
    this.length = this.table.reduce((n, values) => n + (values[0]?.length ?? 0), 0);
  }

  row(point: readonly number[]): Float64Array {
    return Float64Array.from(this.table.flatMap((values, d) => values[point[d] ?? 0] ?? []));
  }

  rows(points: readonly (readonly number[])[]): Float64Array {
    const rows = new Float64Array(points.length * this.length);
    points.forEach((point, i) => rows.set(this.row(point), i * this.length));
    return rows;
  }
}

function columnsOf(space: Space, d: number): number[][] {
  const values = space.values(d);
  if (values.length === 1) return [[]];
  if (!space.isOrdered(d) && values.length > 2) {
    return values.map((_, i) => values.map((_, j) => (i === j ? Math.SQRT1_2 : 0)));
  }
  const ranks = values.map((_, i) => i / (values.length - 1));
  const twos = space.isOrdered(d) ? values.map((v) => powersOfTwo(Number(v))) : [];
  const most = Math.max(...twos);
  const isToldByOrder = twos.every((n, i) => i === 0 || n > (twos[i - 1] ?? 0));
  if (values.length < 3 || most === 0 || isToldByOrder) return ranks.map((r) => [r]);
  return ranks.map((r, i) => [r, (twos[i] ?? 0) / most]);
}

/** How often a positive whole number can be halved; 0 for all others. */
function powersOfTwo(value: number): number {
  let n = 0;
  if (!Number.isSafeInteger(value) || value < 1) return 0;
  for (; value % 2 === 0; value /= 2) ++n;
  return n;
}
