// `kernelseek init` as a newcomer uses it, on kernels as they stand in tutorials.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseTask, requireTask } from '../../src/task/parse.js';
import type { TaskFile } from '../../src/task/schema.js';
import { cli, type Finished } from '../support/cli-process.js';
import { buildDist } from '../support/dist.js';

let dist: string;
let removeDist: () => Promise<void>;
let state: string;
let folder: string;

beforeAll(async () => {
  ({ dist, remove: removeDist } = await buildDist());
  state = await mkdtemp(path.join(tmpdir(), 'kernelseek-state-'));
});
afterAll(async () => {
  await removeDist();
  await rm(state, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kernelseek-init-'));
  return () => rm(folder, { recursive: true, force: true });
});

const put = async (name: string, text: string): Promise<void> => {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  await writeFile(path.join(folder, name), text);
};
const init = (...args: string[]): Promise<Finished> => cli(dist, state, ['init', ...args], { cwd: folder });
const written = async (name: string): Promise<TaskFile> =>
  requireTask(parseTask(await readFile(path.join(folder, name), 'utf8'), name));
const roles = (task: TaskFile) => Object.fromEntries(task.arguments.map((a) => [a.name, a.role]));

const GELU = `#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void gelu_kernel(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = in[i];
    out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
}

void gelu_forward(float* out, const float* in, int n) {
  const int block_size = 256;
  gelu_kernel<<<(n + block_size - 1) / block_size, block_size>>>(out, in, n);
}

int main() {
  int n = 1 << 10;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  gelu_forward(out, in, n);
  cudaDeviceSynchronize();
  printf("done\\n");
}
`;

describe('init', () => {
  test('a file with main and C++ linkage: task, tolerance and verdict', async () => {
    await put('gelu.cu', GELU);
    const result = await init('gelu.cu', '--target', 'cpu');
    expect(result.stdout).toContain('entry gelu_forward');
    expect(result.stdout).toMatch(/tolerance of out: rtol .* measured from the original/);
    expect(result.stdout).toMatch(/^✓ correct/m);
    expect(result.code).toBe(0);
    const task = await written('gelu.task.json');
    expect(roles(task)).toMatchObject({ out: 'output' });
    expect(task.arguments.find((a) => a.name === 'out')?.tolerance?.rtol).toBeGreaterThan(0);
    const text = await readFile(path.join(folder, 'gelu.task.json'), 'utf8');
    expect(text).toContain('// measured on CPU emulation');

    const again = await init('gelu.cu', '--target', 'cpu');
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('--force');
    expect(await readFile(path.join(folder, 'gelu.task.json'), 'utf8')).toBe(text);
    const forced = await init('gelu.cu', '--target', 'cpu', '--force');
    expect(forced.code).toBe(0);
  });

  test('a template over shared headers: includes are shipped, those of headers too', async () => {
    await put('.kernelseek/.gitignore', '*\n');
    await put(
      'include/math/warp.cuh',
      '#pragma once\ntemplate <typename T> __device__ T twice(T x) { return x + x; }\n',
    );
    await put(
      'include/common.cuh',
      '#pragma once\n#include "math/warp.cuh"\n#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n',
    );
    await put(
      'kernels/scale.cu',
      `#include <cuda_runtime.h>
#include "../include/common.cuh"
namespace ops {
template <typename T, int BLOCK = 128>
__global__ void scale_kernel(const T* __restrict__ x, T* __restrict__ y, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = twice(x[i]);
}
template <typename T>
void scale(const T* x, T* y, int n, cudaStream_t stream) {
  scale_kernel<T><<<CEIL_DIV(n, 128), 128, 0, stream>>>(x, y, n);
}
}  // namespace ops
`,
    );
    const result = await init('kernels/scale.cu', '--target', 'cpu');
    expect(result.stdout).toMatch(/^✓ correct/m);
    expect(result.code).toBe(0);
    const task = await written('kernels/scale.task.json');
    expect(task.entry).toBe('ops::scale');
    expect(task.files).toEqual(['../include/common.cuh', '../include/math/warp.cuh']);
  });

  test('an include that is not there, and one outside, are said and left out', async () => {
    await put('w/gelu.cu', `#include "gone.h"\n#include "../outside.h"\n${GELU}`);
    await put('w/.kernelseek/x', '');
    await put('outside.h', '#define SECRET 1\n');
    const result = await init('w/gelu.cu', '--target', 'cpu');
    expect(result.stdout).toMatch(/"gone\.h", included by gelu\.cu, is left out: there is no file/);
    expect(result.stdout).toMatch(/"\.\.\/outside\.h", included by gelu\.cu, is left out: .* lies outside/);
    expect(result.stdout).toMatch(/✗ compile_error/);
    expect(result.stdout).toContain('The tolerance was not measured');
    expect(result.code).toBe(1);
    expect((await written('w/gelu.task.json')).files).toEqual([]);
  });

  test('what cannot run here is written all the same, with what to do', async () => {
    await put(
      'lane.cu',
      GELU.replace('float x = in[i];', 'float x = in[i]; unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l));'),
    );
    const result = await init('lane.cu', '--target', 'cpu');
    expect(result.code).toBe(2);
    expect(result.stdout).toMatch(/✗ unsupported .*asm/);
    expect(result.stdout).toContain('A CUDA device would run it');
    expect((await written('lane.task.json')).entry).toBe('gelu_forward');
  });

  test('what is missing is marked in the file, and nothing is run', async () => {
    await put('nothing.cu', '#include <cuda_runtime.h>\nint twice(int x) { return 2 * x; }\n');
    const result = await init('nothing.cu');
    expect(result.code).toBe(2);
    expect(result.stdout).toMatch(/missing \$\.entry/);
    expect(await readFile(path.join(folder, 'nothing.task.json'), 'utf8')).toMatch(/^\/\/ entry: MISSING/);
    expect(result.stderr).toBe('');
  });

  test('what is missing is named by evaluate, where it is to be written', async () => {
    const kernel = `__global__ void sum(const float* x, float* y, int n) {
  extern __shared__ float own[];
  own[threadIdx.x] = threadIdx.x < n ? x[threadIdx.x] : 0;
  __syncthreads();
  if (threadIdx.x == 0) for (int i = 0; i < blockDim.x; i++) y[0] += own[i];
}
`;
    await put('bare.cu', kernel);
    await put('main.cu', `${kernel}int main() { float *x, *y; sum<<<blocks(y), 64, bytes(y)>>>(x, y, 64); }\n`);
    const missing = ['bare.cu', 'main.cu'].map((name) => init(name));
    expect((await Promise.all(missing)).map((r) => r.code)).toEqual([2, 2]);
    const evaluate = (name: string) => cli(dist, state, ['evaluate', name, '--target', 'cpu'], { cwd: folder });
    const bare = await evaluate('bare.task.json');
    expect(bare).toMatchObject({ code: 2 });
    expect(bare.stdout).toContain('$.launch.shared: is missing: give a number or an expression');
    const main = await evaluate('main.task.json');
    expect(main).toMatchObject({ code: 2 });
    expect(main.stdout).toContain('$.launch.grid: is missing: give 1 to 3 expressions');
    expect(main.stdout).toContain('$.launch.shared: is missing');
  });

  test('only CUDA sources are read', async () => {
    await put('gelu.task.json', '{}');
    const refused = await init('gelu.task.json');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('gelu.task.json is no CUDA source: give init a .cu, .cuh or .cpp file');
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
    await put('gelu.cu', GELU);
    const twice = await init('gelu.cu', 'gelu.cu');
    expect(twice).toMatchObject({ code: 2, stdout: '' });
    expect(twice.stderr).toMatch(/too many arguments/i);
  });

  test('a file that is not there', async () => {
    expect(await init('gone.cu')).toMatchObject({ code: 2, stdout: '' });
  });
});
