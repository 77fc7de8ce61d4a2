// Transformations that make BBOB functions irregular and ill-conditioned (Hansen, Finck, Ros and Auger, "Real-parameter
// black-box optimization benchmarking 2009: noiseless functions definitions", INRIA RR-6829, section 0.2).

/** T_osz: smooth local irregularities. */
export function oscillate(x: number): number {
  if (x === 0) return 0;
  const t = Math.log(Math.abs(x)) / 0.1;
  const [a, b] = x > 0 ? [1, 0.79] : [0.55, 0.31];
  return Math.sign(x) * Math.exp(t + 0.49 * (Math.sin(a * t) + Math.sin(b * t))) ** 0.1;
}

/** T_asy: breaks symmetry on the positive side. */
export function asymmetric(x: readonly number[], beta: number): number[] {
  return x.map((v, i) => (v > 0 ? v ** (1 + ((beta * i) / (x.length - 1)) * Math.sqrt(v)) : v));
}

/** Λ: the last coordinate √condition times as steep as the first. */
export function conditioned(x: readonly number[], condition: number): number[] {
  return x.map((v, i) => v * condition ** ((0.5 * i) / (x.length - 1)));
}

/** f_pen: squared distance from [-5, 5]. */
export function penalty(x: readonly number[]): number {
  return x.reduce((sum, v) => sum + Math.max(0, Math.abs(v) - 5) ** 2, 0);
}
