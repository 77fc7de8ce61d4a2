// Eigenvalues and vectors of a small symmetric matrix, by cyclic Jacobi rotations (Golub and Van Loan, "Matrix Computations",
// 4th edition, section 8.5). Quadratic convergence; a few sweeps do.

/** @returns values, and vectors as columns of an orthogonal matrix in the same order */
export function eigen(symmetric: readonly (readonly number[])[]): { values: number[]; vectors: number[][] } {
  const n = symmetric.length;
  const a = symmetric.map((row) => [...row]);
  const vectors = a.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 50; ++sweep) {
    let off = 0;
    let diagonal = 0;
    for (let i = 0; i < n; ++i) {
      diagonal += a[i]![i]! ** 2;
      for (let j = 0; j < i; ++j) off += a[i]![j]! ** 2;
    }
    if (off <= 1e-32 * diagonal) break;
    for (let p = 0; p < n; ++p) {
      for (let q = p + 1; q < n; ++q) if (a[p]![q] !== 0) rotate(a, vectors, p, q);
    }
  }
  return { values: a.map((row, i) => row[i]!), vectors };
}

/** Makes a[p][q] zero. */
function rotate(a: number[][], vectors: number[][], p: number, q: number): void {
  const tau = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!);
  const t = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.hypot(1, tau));
  const c = 1 / Math.hypot(1, t);
  const s = t * c;
  const turn = (row: number[]) => {
    const [x, y] = [row[p]!, row[q]!];
    row[p] = c * x - s * y;
    row[q] = s * x + c * y;
  };
  a.forEach(turn);
  const [top, bottom] = [a[p]!, a[q]!];
  a[p] = top.map((x, k) => c * x - s * bottom[k]!);
  a[q] = top.map((x, k) => s * x + c * bottom[k]!);
  vectors.forEach(turn);
}
