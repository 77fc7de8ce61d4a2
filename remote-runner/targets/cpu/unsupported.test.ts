import { describe, expect, it } from 'vitest';
import { findUnsupported } from './unsupported.js';

const found = (text: string): string | undefined =>
  findUnsupported('a.cu', text, new Set(['cub/cub.cuh']), [])?.construct;

describe('findUnsupported', () => {
  it('lets a grid be asked for its shape, and refuses to let it wait for itself', () => {
    for (const shape of [
      'auto grid = cg::this_grid(); out[grid.thread_rank()] = grid.size();',
      'cooperative_groups::grid_group g = cooperative_groups::this_grid(); g.num_blocks();',
      'unsigned long long r = cg::this_grid().thread_rank(); cg::sync(block); block.sync();',
    ])
      expect(found(`__global__ void k(int* out) { ${shape} }`)).toBeUndefined();
    for (const wait of [
      'auto grid = cg::this_grid(); grid.sync();',
      'cg::grid_group g = cooperative_groups::this_grid(); cg::sync(g);',
      'cg::this_grid().sync();',
      'cg::sync(cg::this_grid());',
    ])
      expect(found(`__global__ void k() { ${wait} }`)).toBe('synchronising a grid (a cooperative launch)');
    expect(found('__device__ void f(const cg::grid_group& g) { g.sync(); }')).toContain('synchronising a grid');
  });

  it('tells device-wide algorithms of cub from those of a block, and names thrust', () => {
    expect(found('#include <cub/cub.cuh>\nvoid f() { cub::BlockReduce<int, 32> r(s); }')).toBeUndefined();
    expect(found('#include <cub/cub.cuh>\nvoid f() { cub::DeviceReduce::Sum(t, b, i, o, n); }')).toBe(
      'device-wide algorithms of cub',
    );
    expect(found('#include <thrust/sort.h>')).toBe('#include <thrust/sort.h>');
  });
});
