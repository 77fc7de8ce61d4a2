// Instances of the BBOB functions: the pseudo-random shifts and rotations of COCO (Hansen et al., "COCO: a platform for comparing
// continuous optimizers in a black-box setting", 2021), number by number, so that values compare with published ones.

/** Uniform in (0, 1): a minimal standard generator with a shuffle table (Press et al., "Numerical Recipes", ran1). */
export function uniform(count: number, seed: number): number[] {
  let state = Math.max(1, Math.abs(seed));
  const advance = () => {
    const high = Math.floor(state / 127773);
    state = 16807 * (state - high * 127773) - 2836 * high;
    if (state < 0) state += 2147483647;
    return state;
  };
  const table = new Array<number>(32);
  for (let i = 39; i >= 0; --i) {
    const value = advance();
    if (i < 32) table[i] = value;
  }
  let current = table[0]!;
  return Array.from({ length: count }, () => {
    const fresh = advance();
    const at = Math.floor(current / 67108865);
    current = table[at]!;
    table[at] = fresh;
    return current / 2147483647 || 1e-99;
  });
}

export function gauss(count: number, seed: number): number[] {
  const u = uniform(2 * count, seed);
  return Array.from(
    { length: count },
    (_, i) => Math.sqrt(-2 * Math.log(u[i]!)) * Math.cos(2 * Math.PI * u[count + i]!) || 1e-99,
  );
}

/** Where the optimum of most functions lies, in [-4, 4]. */
export function optimum(dimension: number, seed: number): number[] {
  return uniform(dimension, seed).map((u) => (8 * Math.floor(1e4 * u)) / 1e4 - 4 || -1e-5);
}

/** Value at the optimum: a ratio of normal variates, two decimals, within ±1000. @param seed base of the function, not of the instance */
export function optimalValue(seed: number, instance: number): number {
  const [a] = gauss(1, seed + 10000 * instance);
  const [b] = gauss(1, seed + 10000 * instance + 1);
  return Math.min(1000, Math.max(-1000, Math.round((100 * 100 * a!) / b!) / 100));
}

export type Matrix = readonly (readonly number[])[];

/** An orthogonal matrix: Gram and Schmidt on the columns of normal variates. */
export function rotation(dimension: number, seed: number): Matrix {
  const values = gauss(dimension * dimension, seed);
  const columns: number[][] = [];
  for (let i = 0; i < dimension; ++i) {
    let column = values.slice(i * dimension, (i + 1) * dimension);
    for (const other of columns) {
      const along = dot(column, other);
      column = column.map((v, k) => v - along * other[k]!);
    }
    const length = Math.sqrt(dot(column, column));
    columns.push(column.map((v) => v / length));
  }
  return columns.map((_, row) => columns.map((column) => column[row]!));
}

export function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, v, i) => sum + v * b[i]!, 0);
}

export function times(matrix: Matrix, x: readonly number[]): number[] {
  return matrix.map((row) => dot(row, x));
}

/** outer · diag(scale(0), scale(1), …) · inner, where scale takes 0 to 1 over the dimensions. */
export function scaledProduct(outer: Matrix, scale: (t: number) => number, inner: Matrix): Matrix {
  const n = outer.length;
  return outer.map((row) =>
    row.map((_, j) => row.reduce((sum, v, k) => sum + v * scale(k / (n - 1)) * inner[k]![j]!, 0)),
  );
}

export type Objective = (x: readonly number[]) => number;

/** What the definitions share: optimum, two rotations, dimension, seed. */
export interface Ingredients {
  n: number;
  seed: number;
  xopt: readonly number[];
  /** Q and R of the report. */
  q: Matrix;
  r: Matrix;
}

export type Make = (ingredients: Ingredients) => Objective;
