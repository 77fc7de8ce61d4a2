// Against values computed with NumPy's dense inverse and SciPy's distributions, and the gradient against differences.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitHyperparameters, matern, objective, Predictor, startingHyperparameters } from './gaussian-process.js';
import { logExpectedImprovement } from './normal.js';

const x = Float64Array.of(0, 0, 0.5, 1, 1, 0.25, 0.2, 0.7);
const y = Float64Array.of(1, -0.5, 0.25, -0.75);
const at = { logLengths: Float64Array.of(Math.log(0.5), Math.log(2)), logNoise: Math.log(0.01) };
const prior = Math.log(0.5);

test('covariance, posterior and objective have the reference values', () => {
  expect(matern(1)).toBeCloseTo(0.5239941088318203, 14);
  const predictor = new Predictor(Float64Array.of(0.1, 0.1, 0.9, 0.9), at);
  for (let i = 0; i < 4; ++i) predictor.observe(x.slice(2 * i, 2 * i + 2));
  const { mean, sd } = predictor.predict(y);
  [0.39571957, 0.18122942].forEach((v, i) => expect(mean[i]).toBeCloseTo(v, 7));
  [0.26135108, 0.56335753].forEach((v, i) => expect(sd[i]).toBeCloseTo(v, 7));
  expect(objective(x, y, at, prior).value).toBeCloseTo(1.4621888889634935, 10);
});

test('the gradient is that of the value', () => {
  const log = fc.double({ min: -2, max: 2, noNaN: true });
  fc.assert(
    fc.property(log, log, fc.double({ min: -6, max: 0, noNaN: true }), (a, b, logNoise) => {
      const value = (da: number, db: number, dn: number) =>
        objective(x, y, { logLengths: Float64Array.of(a + da, b + db), logNoise: logNoise + dn }, prior).value;
      const { gradient } = objective(x, y, { logLengths: Float64Array.of(a, b), logNoise }, prior);
      const h = 1e-5;
      const slopes = [
        value(h, 0, 0) - value(-h, 0, 0),
        value(0, h, 0) - value(0, -h, 0),
        value(0, 0, h) - value(0, 0, -h),
      ];
      slopes.forEach((s, f) => expect(gradient[f]).toBeCloseTo(s / (2 * h), 4));
    }),
  );
});

test('a fit finds the feature that matters and forgets the one that does not', () => {
  const points = Array.from({ length: 40 }, (_, i) => [i / 39, ((i * 17) % 40) / 39]);
  const values = points.map(([a]) => Math.sin(9 * a!));
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  const start = startingHyperparameters(2, 0.5);
  const rows = Float64Array.from(points.flat());
  const { logLengths } = fitHyperparameters(
    rows,
    Float64Array.from(values, (v) => v - mean),
    start,
    prior,
    30,
  );
  expect(logLengths[1]! - logLengths[0]!).toBeGreaterThan(1);
});

test('after rewinding, predictions are to the bit what they were', () => {
  const predictor = new Predictor(Float64Array.of(0.1, 0.1, 0.9, 0.9), at);
  predictor.observe(x.slice(0, 2));
  const before = predictor.predict(y.slice(0, 1));
  const mark = predictor.mark();
  predictor.observe(x.slice(2, 4));
  expect(predictor.predict(y.slice(0, 2))).not.toEqual(before);
  predictor.rewind(mark);
  expect(predictor.predict(y.slice(0, 1))).toEqual(before);
});

test.each([
  [0.5, 1, -0.359827683745064],
  [-1, 0.5, -5.46193070447706],
  [-3, 0.5, -23.2720265727297],
  [-10, 1, -55.5531220361224],
])('log expected improvement of gain %d with deviation %d', (gain, sd, expected) => {
  expect(Math.abs(logExpectedImprovement(gain, sd) - expected)).toBeLessThan(0.01);
});
