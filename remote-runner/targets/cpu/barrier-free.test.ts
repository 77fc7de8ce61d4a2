import { expect, it } from 'vitest';
import { isBarrierFree } from './barrier-free.js';

const kernel = (body: string) => `__global__ void k(float* x) { ${body} }\nvoid go(float* x) { k<<<1, 32>>>(x); }\n`;

it('takes sources whose threads never wait for each other', () => {
  expect(isBarrierFree(kernel('x[threadIdx.x] += expf(1.f); atomicAdd(x, 1.f);'))).toBe(true);
  expect(isBarrierFree(kernel('') + 'void f(cudaStream_t s) { cudaMemcpyAsync(0, 0, 0, cudaMemcpyDefault, s); }')).toBe(
    true,
  );
  expect(isBarrierFree(kernel('') + 'void f() { cudaDeviceSynchronize(); cudaStreamSynchronize(0); }')).toBe(true);
});

it.each([
  '__syncthreads();',
  'int n = __syncthreads_count(1);',
  '__syncwarp();',
  'x[0] = __shfl_down_sync(~0u, x[0], 1);',
  'x[0] = __shfl(x[0], 1);',
  'unsigned b = __ballot_sync(~0u, 1);',
  'unsigned m = __activemask();',
  '__shared__ float s[32];',
  'cg::sync(block);',
  'block.sync();',
  'assert(x);',
  'volatile float* y = x;',
  'cuda::atomic_ref<float> a(*x);',
])('does not take %s', (body) => {
  expect(isBarrierFree(kernel(body))).toBe(false);
});

it('does not take explicit instantiations', () => {
  const text = 'template <class T> __global__ void k(T* x) { *x = 1; }\n';
  expect(isBarrierFree(text)).toBe(true);
  expect(isBarrierFree(`${text}template __global__ void k<float>(float*);\n`)).toBe(false);
});

it('does not take a long source', () => {
  expect(isBarrierFree(kernel('') + '// '.padEnd(100_000, '-'))).toBe(false);
});
