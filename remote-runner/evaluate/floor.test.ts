import { expect, test } from 'vitest';
import { floorOf, type Peaks } from './floor.js';

/** An H200: 6144 bits at 3.201 GHz double data rate, 60 MiB of L2, 132 multiprocessors at 1.98 GHz. */
const h200: Peaks = {
  bandwidth: (6144 / 8) * 2 * 3_201_000,
  l2Bytes: 60 * 2 ** 20,
  clockKhz: 1_980_000,
  multiprocessors: 132,
};

test('the floor is the larger of compute and memory, beyond what the L2 may hold', () => {
  const n = 8192;
  // 2 n³ operations at 4096 · 132 · 1.98e9 per second
  expect(floorOf({ flops: '2*n*n*n', unit: 'tensor-half' }, { n }, 'sm_90a', h200)).toBeCloseTo(1.0271, 3);
  expect(floorOf({ flops: '2*n*n*n', unit: 'tensor-fp8' }, { n }, 'sm_90a', h200)).toBeCloseTo(0.5135, 3);
  const bytes = { bytes: '8*n*n' };
  expect(floorOf(bytes, { n }, 'sm_90', h200)).toBeCloseTo((8 * n * n - 60 * 2 ** 20) / 4_916_736_000, 6);
  expect(floorOf(bytes, { n: 1024 }, 'sm_90', h200)).toBe(0);
  expect(floorOf({ ...bytes, flops: 'n*n*n*n' }, { n }, 'sm_90', h200)).toBeGreaterThan(1);
});

test('nothing is claimed for what is not known', () => {
  expect(floorOf(undefined, {}, 'sm_90a', h200)).toBe(0);
  expect(floorOf({ flops: '1e30', unit: 'quantum' }, {}, 'sm_90a', h200)).toBe(0);
  expect(floorOf({ flops: '1e30' }, {}, 'sm_66', h200)).toBe(0);
  expect(floorOf({ flops: '1e30' }, {}, 'sm_90a', { bandwidth: 0, l2Bytes: 0, clockKhz: 0, multiprocessors: 0 })).toBe(
    0,
  );
});
