// BBOB functions 20 to 24: multimodal with weak global structure.
import { gauss, type Make, scaledProduct, times, uniform } from './instance.js';
import { conditioned, oscillate, penalty } from './transforms.js';

/** Function 20. */
export const schwefel: Make = ({ n, seed }) => {
  const signs = uniform(n, seed).map((u) => (u < 0.5 ? -1 : 1));
  const end = 4.2096874637;
  return (x) => {
    const doubled = x.map((v, i) => 2 * signs[i]! * v);
    const skewed = doubled.map((v, i) => (i === 0 ? v : v + 0.25 * (doubled[i - 1]! - end)));
    const z = conditioned(
      skewed.map((v) => v - end),
      10,
    ).map((v) => 100 * (v + end));
    const total = z.reduce((s, v) => s + v * Math.sin(Math.sqrt(Math.abs(v))), 0);
    const outside = z.reduce((s, v) => s + Math.max(0, Math.abs(v) - 500) ** 2, 0);
    return 0.01 * (outside + 418.9828872724339 - total / n);
  };
};

/** Functions 21 and 22: the highest of many Gaussian peaks. @param highest condition of the best peak */
export function gallagher({ peaks, side, highest }: { peaks: number; side: number; highest: number }): Make {
  return ({ n, seed, r }) => {
    const order = permutation(uniform(peaks - 1, seed));
    const conditions = [highest, ...order.map((rank) => 1000 ** (rank / (peaks - 2)))];
    const heights = [10, ...order.map((_, i) => (i / (peaks - 2)) * 8 + 1.1)];
    const scales = conditions.map((c, i) =>
      permutation(uniform(n, seed + 1000 * i)).map((rank) => c ** (rank / (n - 1) - 0.5)),
    );
    const places = uniform(n * peaks, seed).map((u) => side * u - side / 2);
    const centres = conditions.map((_, i) =>
      times(
        r,
        places.slice(i * n, (i + 1) * n).map((v) => (i === 0 ? 0.8 * v : v)),
      ),
    );
    return (x) => {
      const z = times(r, x);
      let top = 0;
      for (const [i, centre] of centres.entries()) {
        const distance = z.reduce((s, v, j) => s + scales[i]![j]! * (v - centre[j]!) ** 2, 0);
        top = Math.max(top, heights[i]! * Math.exp((-0.5 / n) * distance));
      }
      return oscillate(10 - top) ** 2 + penalty(x);
    };
  };
}

/** Indices in the order of the values. */
function permutation(values: readonly number[]): number[] {
  return values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
}

/** Function 23. */
export const katsuura: Make = ({ n, xopt, q, r }) => {
  const m = scaledProduct(q, (t) => 10 ** t, r);
  return (x) => {
    const z = times(
      m,
      x.map((v, i) => v - xopt[i]!),
    );
    const product = z.reduce((p, v, i) => {
      let rough = 0;
      for (let j = 1; j <= 32; ++j) rough += Math.abs(2 ** j * v - Math.floor(2 ** j * v + 0.5)) / 2 ** j;
      return p * (1 + (i + 1) * rough) ** (10 / n ** 1.2);
    }, 1);
    return (10 / n / n) * (product - 1) + penalty(x);
  };
};

/** Function 24: two funnels, the wider one not the deeper. */
export const lunacek: Make = ({ n, seed, q, r }) => {
  const mu0 = 2.5;
  const s = 1 - 0.5 / (Math.sqrt(n + 20) - 4.1);
  const mu1 = -Math.sqrt((mu0 * mu0 - 1) / s);
  const signs = gauss(n, seed).map((v) => (v < 0 ? -1 : 1));
  return (x) => {
    const turned = x.map((v, i) => 2 * signs[i]! * v);
    const centred = turned.map((v) => v - mu0);
    const z = times(q, conditioned(times(r, centred), 100));
    const deep = centred.reduce((t, v) => t + v * v, 0);
    const wide = n + s * turned.reduce((t, v) => t + (v - mu1) ** 2, 0);
    const waves = z.reduce((t, v) => t + Math.cos(2 * Math.PI * v), 0);
    return Math.min(deep, wide) + 10 * (n - waves) + 1e4 * penalty(x);
  };
};
