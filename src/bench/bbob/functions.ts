// The 24 noiseless BBOB functions (Hansen, Finck, Ros and Auger, INRIA RR-6829, 2009), by their numbers there.
import { gallagher, katsuura, lunacek, schwefel } from './multimodal.js';
import { type Make, type Objective, optimalValue, optimum, rotation, scaledProduct, times } from './instance.js';
import { asymmetric, conditioned, oscillate, penalty } from './transforms.js';

export interface Bbob {
  /** Value at the optimum. */
  best: number;
  evaluate: Objective;
}

/** Two functions take their instances from a sibling. */
const SEEDS: Readonly<Record<number, number>> = { 4: 3, 18: 17 };

export const BBOB_FUNCTIONS = 24;

/** @throws RangeError outside of functions 1 to 24 and dimensions from 2 on */
export function bbob(number: number, dimension: number, instance: number): Bbob {
  const make = FUNCTIONS[number - 1];
  if (!make || dimension < 2) throw new RangeError(`there is no BBOB function ${number} of dimension ${dimension}`);
  const base = SEEDS[number] ?? number;
  const seed = base + 10000 * instance;
  const [q, r] = [rotation(dimension, seed + 1000000), rotation(dimension, seed)];
  const raw = make({ n: dimension, seed, xopt: optimum(dimension, seed), q, r });
  const best = optimalValue(base, instance);
  return { best, evaluate: (x) => raw(x) + best };
}

const minus = (x: readonly number[], y: readonly number[]) => x.map((v, i) => v - y[i]!);
const sum = (x: readonly number[], term: (v: number, i: number) => number) =>
  x.reduce((total, v, i) => total + term(v, i), 0);
const power = (base: number) => (t: number) => base ** t;

function ellipsoid(z: readonly number[]): number {
  return sum(z, (v, i) => 1e6 ** (i / (z.length - 1)) * v * v);
}

function rastrigin(z: readonly number[]): number {
  return 10 * (z.length - sum(z, (v) => Math.cos(2 * Math.PI * v))) + sum(z, (v) => v * v);
}

function rosenbrock(z: readonly number[]): number {
  return sum(z.slice(0, -1), (v, i) => 100 * (v * v - z[i + 1]!) ** 2 + (v - 1) ** 2);
}

const buecheRastrigin: Make = ({ xopt }) => {
  const positive = xopt.map((v, i) => (i % 2 === 0 ? Math.abs(v) : v));
  return (x) => {
    const z = conditioned(minus(x, positive).map(oscillate), 10);
    return rastrigin(z.map((v, i) => (v > 0 && i % 2 === 0 ? 10 * v : v))) + 100 * penalty(x);
  };
};

const linearSlope: Make =
  ({ n, xopt }) =>
  (x) =>
    sum(x, (v, i) => {
      const end = xopt[i]! < 0 ? -5 : 5;
      const slope = Math.sign(end) * 10 ** (i / (n - 1));
      return 5 * Math.abs(slope) - slope * (v * end < 25 ? v : end);
    });

const attractiveSector: Make = ({ xopt, q, r }) => {
  const m = scaledProduct(q, power(Math.sqrt(10)), r);
  return (x) => {
    const z = times(m, minus(x, xopt));
    return oscillate(sum(z, (v, i) => ((v * xopt[i]! > 0 ? 100 : 1) * v) ** 2)) ** 0.9;
  };
};

const stepEllipsoid: Make =
  ({ n, xopt, q, r }) =>
  (x) => {
    const tilted = conditioned(times(r, minus(x, xopt)), 10);
    const steps = tilted.map((v) => (Math.abs(v) > 0.5 ? Math.floor(v + 0.5) : Math.floor(10 * v + 0.5) / 10));
    const value = sum(times(q, steps), (v, i) => 100 ** (i / (n - 1)) * v * v);
    return 0.1 * Math.max(Math.abs(tilted[0]!) / 1e4, value) + penalty(x);
  };

const widthOf = (n: number) => Math.max(1, Math.sqrt(n) / 8);

const shiftedRosenbrock: Make =
  ({ n, xopt }) =>
  (x) =>
    rosenbrock(x.map((v, i) => widthOf(n) * (v - 0.75 * xopt[i]!) + 1));

const rotatedRosenbrock: Make =
  ({ n, r }) =>
  (x) =>
    rosenbrock(times(r, x).map((v) => widthOf(n) * v + 0.5));

const bentCigar: Make = ({ n, seed, q }) => {
  const xopt = optimum(n, seed + 1000000);
  return (x) => {
    const z = times(q, asymmetric(times(q, minus(x, xopt)), 0.5));
    return z[0]! ** 2 + 1e6 * sum(z.slice(1), (v) => v * v);
  };
};

const sharpRidge: Make = ({ xopt, q, r }) => {
  const m = scaledProduct(q, power(Math.sqrt(10)), r);
  return (x) => {
    const z = times(m, minus(x, xopt));
    return z[0]! ** 2 + 100 * Math.sqrt(sum(z.slice(1), (v) => v * v));
  };
};

const rotatedRastrigin: Make = ({ xopt, q, r }) => {
  const m = scaledProduct(q, power(Math.sqrt(10)), r);
  return (x) => rastrigin(times(m, asymmetric(times(q, minus(x, xopt)).map(oscillate), 0.2)));
};

const weierstrass: Make = ({ n, xopt, q, r }) => {
  const m = scaledProduct(q, power(0.1), r);
  const terms = Array.from({ length: 12 }, (_, k) => ({ a: 0.5 ** k, b: 3 ** k }));
  const wave = (v: number) => terms.reduce((s, { a, b }) => s + a * Math.cos(2 * Math.PI * b * (v + 0.5)), 0);
  return (x) => {
    const z = times(m, times(q, minus(x, xopt)).map(oscillate));
    return 10 * (sum(z, wave) / n - wave(0)) ** 3 + (10 / n) * penalty(x);
  };
};

const schaffers =
  (condition: number): Make =>
  ({ n, xopt, q, r }) =>
  (x) => {
    const z = conditioned(times(r, asymmetric(times(q, minus(x, xopt)), 0.5)), condition);
    const mean =
      sum(z.slice(0, -1), (v, i) => {
        const s = v * v + z[i + 1]! ** 2;
        return s ** 0.25 * (1 + Math.sin(50 * s ** 0.1) ** 2);
      }) /
      (n - 1);
    return mean * mean + 10 * penalty(x);
  };

const griewankRosenbrock: Make =
  ({ n, r }) =>
  (x) => {
    const z = times(r, x).map((v) => widthOf(n) * v + 0.5);
    const total = sum(z.slice(0, -1), (v, i) => {
      const s = 100 * (v * v - z[i + 1]!) ** 2 + (v - 1) ** 2;
      return s / 4000 - Math.cos(s);
    });
    return (10 * total) / (n - 1) + 10;
  };

const FUNCTIONS: readonly Make[] = [
  ({ xopt }) =>
    (x) =>
      sum(minus(x, xopt), (v) => v * v),
  ({ xopt }) =>
    (x) =>
      ellipsoid(minus(x, xopt).map(oscillate)),
  ({ xopt }) =>
    (x) =>
      rastrigin(conditioned(asymmetric(minus(x, xopt).map(oscillate), 0.2), 10)),
  buecheRastrigin,
  linearSlope,
  attractiveSector,
  stepEllipsoid,
  shiftedRosenbrock,
  rotatedRosenbrock,
  ({ xopt, q }) =>
    (x) =>
      ellipsoid(times(q, minus(x, xopt)).map(oscillate)),
  ({ xopt, q }) =>
    (x) =>
      sum(times(q, minus(x, xopt)).map(oscillate), (v, i) => (i === 0 ? 1e6 : 1) * v * v),
  bentCigar,
  sharpRidge,
  ({ n, xopt, q }) =>
    (x) =>
      Math.sqrt(sum(times(q, minus(x, xopt)), (v, i) => Math.abs(v) ** (2 + (4 * i) / (n - 1)))),
  rotatedRastrigin,
  weierstrass,
  schaffers(10),
  schaffers(1000),
  griewankRosenbrock,
  schwefel,
  gallagher({ peaks: 101, side: 10, highest: Math.sqrt(1000) }),
  gallagher({ peaks: 21, side: 9.8, highest: 1000 }),
  katsuura,
  lunacek,
];
