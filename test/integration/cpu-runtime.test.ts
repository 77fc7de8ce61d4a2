// The CUDA runtime API on the CPU target.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CpuRig } from '../support/cpu-target.js';

let rig: CpuRig;
beforeAll(async () => {
  rig = await CpuRig.create();
});
afterAll(() => rig.dispose());

it('launches, captures, allocates and copies as CUDA does', async () => {
  const run = await rig.run({
    sources: { 'runtime.cu': await readFile('test/cpu/runtime.cu', 'utf8') },
    call: 'run_checks();',
  });
  expect(run.stdout.split('\n').filter((l) => l.includes('FAILED'))).toEqual([]);
  expect(run.stdout).toContain('0 failures\nerror 0');
  expect(run.stderr).toBe('');
});

const legacy = async (): Promise<Parameters<CpuRig['run']>[0]> => ({
  sources: { 'legacy.cu': await readFile('test/cpu/legacy.cu', 'utf8') },
  files: { 'legacy.cuh': await readFile('test/cpu/legacy.cuh', 'utf8') },
  call: 'run_checks();',
});

for (const threads of ['1', '2', '5'])
  it(`runs what a plain C++ compiler would not run as a GPU does, on ${threads} OS threads`, async () => {
    const run = await rig.run(await legacy(), { KS_CPU_THREADS: threads });
    expect(run.stdout.split('\n').filter((l) => l.includes('FAILED'))).toEqual([]);
    expect(run.stdout).toContain('0 failures\nerror 0');
    expect(run.stderr).toBe('');
  });

it('names the lines of warp-synchronous code, and no others', async () => {
  const job = await legacy();
  const built = await rig.build(job);
  const lines = job.sources['legacy.cu']?.split('\n') ?? [];
  const named = built.status === 'built' ? built.diagnostics.map((d) => lines[d.line - 1]?.trim()) : [];
  expect(named).toEqual([
    'if (blockSize >= 64) sdata[tid] += sdata[tid + 32];',
    's[tid] = s[tid] + s[tid + 32];',
    'if (lane >= 1) s[lane] += s[lane - 1];',
    'for (int d = 32; d > 0; d >>= 1) v[t] += v[t + d];',
  ]);
});

it('keeps the floating-point state of a library and of host code from kernels, and leaves it to the host', async () => {
  const source = `#include <cuda_runtime.h>
#include <cfenv>
#if defined(__x86_64__)
#include <immintrin.h>
static void disturb() { _mm_setcsr(_mm_getcsr() | 0x8040); std::fesetround(FE_UPWARD); }  // flush to zero, and up
#else
static void disturb() { std::fesetround(FE_UPWARD); }
#endif
__attribute__((constructor)) static void at_load() { disturb(); }
__global__ void product(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] * 1e-10f; }
__global__ void third(float* y) { y[threadIdx.x] = 1.0f / (threadIdx.x + 3.0f); }`;
  const run = await rig.run({
    sources: { 'state.cu': source },
    call: `float x[2] = {1e-30f, 1e-31f}, y[2], z[1];
      for (int i = 0; i < 2; ++i) {
        product<<<1, 2>>>(x, y);
        third<<<1, 1>>>(z);
        printf("%08x %08x %08x ", __float_as_uint(y[0]), __float_as_uint(y[1]), __float_as_uint(z[0]));
        disturb();
      }
      printf("%d\\n", std::fegetround() == FE_UPWARD);`,
  });
  expect(run.stdout).toBe('000116c2 00001be0 3eaaaaab 000116c2 00001be0 3eaaaaab 1\nerror 0\n');
});
