// What goes wrong on the CPU target: each fault is named, none hangs, none is a plain crash of the tools.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CpuRig } from '../support/cpu-target.js';

let rig: CpuRig;
beforeAll(async () => {
  rig = await CpuRig.create();
});
afterAll(() => rig.dispose());

describe('at run time', () => {
  // One library, one fault for each process.
  const source = `
__global__ void half_at_barrier(int* out) {
  if (threadIdx.x < 40)
    __syncthreads();
  else
    __shfl_sync(~0u, 1, 0);
  out[0] = 1;
}
__global__ void outside_mask(int* out) {
  out[0] = __shfl_sync(0xffu, 1, 0);
}
__global__ void asserts(int* out) {
  assert(threadIdx.x != 33);
  out[0] = 1;
}
__global__ void traps() { if (blockIdx.x == 3) __trap(); }
__global__ void too_little_shared(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = 1;
  __syncthreads();
  out[0] = s[0];
}
__global__ void fine(int* out) { out[0] = 7; }
__global__ void divergent(int* out) {
  if (threadIdx.x % 2)
    __syncthreads();
  else
    __syncthreads();
  out[0] = 1;
}
__global__ void waits(volatile int* flag) {
  flag[0] = 0;
  if (threadIdx.x == 0)
    while (flag[0] == 0)
      ;
}
__global__ void grid_barrier(int* count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < gridDim.x) {
    }
  }
  __syncthreads();
}
static int fault() {
  int* out;
  cudaMalloc(&out, 4096);
  switch (atoi(getenv("FAULT"))) {
    case 0: half_at_barrier<<<4, 64>>>(out); break;
    case 1: outside_mask<<<1, 32>>>(out); break;
    case 2: asserts<<<2, 64>>>(out); break;
    case 3: traps<<<8, 64>>>(); break;
    case 4: too_little_shared<<<1, 256>>>(out); break;
    case 5: fine<<<2, 1>>>(out); break;
    case 6: divergent<<<2, 64>>>(out); break;
    case 7: waits<<<3, 64>>>(out); break;
    case 8: out[0] = 0; grid_barrier<<<100, 32>>>(out); break;
  }
  int error = cudaDeviceSynchronize();
  out[0] = -1;
  fine<<<1, 1>>>(out);  // a kernel that failed has cost the context: nothing runs any more
  printf("%d %d\\n", error, out[0]);
  return cudaGetLastError();
}
`;
  const cases: [string, number, number, RegExp][] = [
    [
      'a barrier that part of the block never reaches',
      0,
      719,
      /deadlock in block \(\d,0,0\): .*fault\.cu:4 for the block; .*fault\.cu:6 for the lanes 0xffffffff/,
    ],
    [
      'a lane that its mask does not name',
      1,
      719,
      /fault\.cu:10: lane \d+ calls a warp function whose mask 0x000000ff/,
    ],
    [
      'an assertion',
      2,
      710,
      /fault\.cu:13: .*asserts.*block: \[\d,0,0\], thread: \[33,0,0\] Assertion `threadIdx\.x != 33` failed/,
    ],
    ['a trap', 3, 719, /__trap in block \(3,0,0\)/],
    [
      'too little dynamic shared memory',
      4,
      700,
      /block \(0,0,0\) wrote behind the 0 bytes of its dynamic shared memory/,
    ],
    [
      'lanes of a warp at different barriers',
      6,
      719,
      /divergent barriers in block \(\d,0,0\): thread \(.,0,0\) waits at .*fault\.cu:(?:26|28), thread \(.,0,0\) of the same warp at .*fault\.cu:(?:26|28)/,
    ],
    ['a wait that nobody ends', 7, 702, /fault\.cu:34: block \(\d,0,0\), thread \(0,0,0\) waits in a loop/],
    ['blocks that wait for blocks that cannot start', 8, 702, /fault\.cu:41: .*\d+ blocks run at a time here/],
  ];
  it.each(cases)('reports %s', async (_, fault, code, message) => {
    const run = await rig.run({ sources: { 'fault.cu': source }, call: 'return fault();' }, { FAULT: String(fault) });
    expect(run.stdout).toBe(`${code} -1\nerror ${code}\n`);
    expect(run.stderr).toMatch(message);
    expect(run.stderr.match(/kernelseek:/g)).toHaveLength(1);
  });
  it('lets a sound kernel run', async () => {
    const run = await rig.run({ sources: { 'fault.cu': source }, call: 'return fault();' }, { FAULT: '5' });
    expect(run.stdout).toBe('0 7\nerror 0\n');
    expect(run.stderr).toBe('');
  });
});

describe('at build time', () => {
  const build = (text: string, more: Partial<Parameters<CpuRig['build']>[0]> = {}) =>
    rig.build({ sources: { 'k.cu': text }, call: '', ...more });

  it('places errors where they are written, below the job root', async () => {
    const result = await build('#include "h.cuh"\n__global__ void k(int* x) { *x = f(*x); }\n', {
      sources: { 'sub/k.cu': '#include "h.cuh"\n__global__ void k(int* x) { *x = f(*x); }\n' },
      files: { 'sub/h.cuh': '#pragma once\n\n__device__ int f(int x) { return y; }\n' },
      directory: 'sub',
    });
    expect(result).toMatchObject({ status: 'compile_error', message: /^sub\/h\.cuh:3: .*y/ });
    expect(result.status === 'compile_error' && result.diagnostics[0]).toMatchObject({
      file: 'sub/h.cuh',
      line: 3,
      column: 34,
      severity: 'error',
    });
  });

  it('keeps line numbers behind launches that span lines', async () => {
    const result = await build(
      '__global__ void k(int* x, int2 v) { *x = v.x; }\nvoid go(int* x) {\n  k<<<1,\n      1>>>(x, {1,\n 2});\n  int bad = "";\n}\n',
    );
    expect(result).toMatchObject({ status: 'compile_error', message: /^k\.cu:6: / });
  });

  it('names a missing header', async () => {
    const result = await build('\n#include "nowhere.h"\n');
    expect(result).toMatchObject({ status: 'compile_error', message: /^k\.cu:2: nowhere\.h: No such file/ });
  });

  it('names a function that is declared only', async () => {
    const result = await build(
      '__device__ int absent(int);\n__global__ void k(int* x) { *x = absent(1); }\nvoid go(int* x) { k<<<1, 1>>>(x); }\n',
      {
        call: 'go(nullptr);',
      },
    );
    expect(result).toMatchObject({ status: 'compile_error', message: /undefined reference to .absent\(int\)/ });
  });

  it('refuses more static shared memory than a kernel may have', async () => {
    const result = await build(
      'template <int N> __global__ void big(float* x) { __shared__ float s[N]; s[threadIdx.x] = 1; __syncthreads(); *x = s[0]; }\nvoid go(float* x) { big<12289><<<1, 32>>>(x); big<12288><<<1, 32>>>(x); }\n',
      { call: 'go(nullptr);' },
    );
    expect(result).toMatchObject({
      status: 'compile_error',
      message: /uses too much shared data \(0xc004 bytes, 0xc000 max\): s$/,
    });
  });

  it('ends a compilation at its time limit, and at once when cancelled', async () => {
    const endless =
      'template <int N> struct F { static const int v = F<N - 1>::v + F<N - 2>::v; };\n#include <utility>\ntemplate <unsigned long N> constexpr unsigned long slow() { unsigned long s = 0; for (unsigned long i = 0; i < N; ++i) s += i * s + 1; return s; }\nstatic_assert(slow<30000000>() + slow<30000001>() != 3);\n';
    const limited = await build(endless, { build: { timeoutMs: 50 } });
    expect(limited).toMatchObject({ status: 'timeout', message: /did not end within 0\.05 s/ });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    await expect(build(endless, { signal: abort.signal })).rejects.toThrow();
  });

  it('passes defines and folders, maps flags one by one', async () => {
    const run = await rig.run({
      sources: {
        'k.cu':
          '#include "n.h"\nstatic int go() { volatile float tiny = 1e-30f; return N * M * (tiny * 1e-10f != 0); }\n',
      },
      files: { 'inc/n.h': '#define N 6\n' },
      call: 'printf("%d\\n", go());',
      build: { define: { M: '7' }, include: ['inc'], flags: ['-O3', '--use_fast_math', '-Xptxas', '-v', '-lineinfo'] },
    });
    expect(run.stdout).toBe('42\nerror 0\n');
  });
});

describe('what only the host has', () => {
  const refused: [string, string, string, number][] = [
    [
      'a function of the file',
      'static float twice(float x) { return 2 * x; }\n__global__ void k(float* x) {\n  *x = twice(*x);\n}',
      'calling a __host__ function("twice") from a __global__ function("k") is not allowed',
      3,
    ],
    [
      'a function of the C library',
      '__device__ int dice() {\n  return rand() % 6;\n}',
      'calling a __host__ function("rand") from a __device__ function("dice") is not allowed',
      2,
    ],
    [
      'a variable',
      'int width = 3;\n__global__ void k(int* x) { *x = 2 * x[0] + width; }',
      'identifier "width" is undefined in device code',
      2,
    ],
    [
      'a launch without a block size',
      '__global__ void k() {}\nvoid f() {\n  k<<<1>>>();\n}',
      'a kernel launch needs a grid and a block between <<< and >>>',
      3,
    ],
  ];
  it.each(refused)('is refused in device code: %s', async (_, text, message, line) => {
    const result = await rig.build({ sources: { 'k.cu': text }, call: '' });
    expect(result).toMatchObject({ status: 'compile_error', message: `k.cu:${line}: ${message}` });
    expect(result).toHaveProperty('diagnostics', [expect.objectContaining({ file: 'k.cu', line, severity: 'error' })]);
  });

  it('is not mistaken for what has the same name, or is for both sides', async () => {
    const text = `
#define BOTH __host__ __device__
BOTH static int twice(int x) { return 2 * x; }
static int scale(int x) { return x; }
__device__ static float scale(float x) { return 3 * x; }
template <class T> __device__ T plus(T a, T b) { return a + b; }
constexpr int four() { return 4; }
static const int limit = 100;
int size = 7;
static int length(int n) { return n; }
struct Box { int n; __device__ int length() const { return n; } __device__ int area() const { return length() * n; } };
__host__ __device__ static int maybe() { return length(1); }
#if !defined(__CUDA_ARCH__)
static int only_host() { return rand(); }
#endif
__global__ void k(int* out, int size) {
  int rand = 5;
  auto exit = [=](int x) { return x + rand; };
  Box b{3};
  out[0] = twice(size) + int(scale(2.0f)) + plus(1, 1) + four() + limit + b.area() + exit(1);
}
static int go() { int out; k<<<1, 1>>>(&out, size); return out + (only_host() < 0) + (maybe() < 0) + scale(0); }`;
    const run = await rig.run({ sources: { 'k.cu': text }, call: 'printf("%d\\n", go());' });
    expect(run.stdout).toBe('141\nerror 0\n');
  });
});

describe('what it cannot do', () => {
  const cases: [string, string, string, number][] = [
    [
      'inline PTX',
      '\n__device__ int f() { int r; asm volatile("mov.u32 %0, %laneid;" : "=r"(r)); return r; }',
      'inline PTX (asm)',
      2,
    ],
    ['wmma', '// asm("")\n#include <mma.h>\n', '#include <mma.h>', 2],
    ['thrust', '#include <thrust/sort.h>\n', '#include <thrust/sort.h>', 1],
    ['textures', 'const char* s = "wmma";\n\n__global__ void k(cudaTextureObject_t t) {}', 'textures', 3],
    ['clusters', '__global__ void __cluster_dims__(2) k() {}', 'thread-block clusters', 1],
    [
      'a cooperative launch',
      'void f(void** a) {\n  cudaLaunchCooperativeKernel((void*)f, 1, 1, a);\n}',
      'a cooperative grid launch',
      2,
    ],
    [
      'dynamic parallelism',
      '__global__ void c() {}\n__global__ void p() {\n  c<<<1, 1>>>();\n}',
      'a launch from device code (dynamic parallelism)',
      3,
    ],
    [
      'a cooperative launch by attribute',
      'void f(cudaLaunchAttribute* a) {\n  a[0].id = cudaLaunchAttributeCooperative;\n}',
      'a cooperative grid launch',
      2,
    ],
    [
      'PTX in a branch for this architecture',
      '__global__ void k() {\n#if __CUDA_ARCH__ >= 800\n  asm("exit;");\n#endif\n}',
      'inline PTX (asm)',
      3,
    ],
  ];
  it.each(cases)('says so for %s', async (_, text, construct, line) => {
    const result = await rig.build({ sources: { 'k.cu': text }, call: '' });
    expect(result).toMatchObject({ status: 'unsupported', construct, file: 'k.cu', line, cudaWouldDo: true });
    expect(result).toHaveProperty(
      'message',
      expect.stringContaining(`k.cu:${line}: the CPU target cannot run ${construct}`),
    );
  });

  it('says so for a library and for a shipped header', async () => {
    const job = {
      sources: { 'k.cu': '#include "h.cuh"\n' },
      files: { 'h.cuh': '\n\n#include <thrust/sort.h>\n' },
      call: '',
    };
    expect(await rig.build(job)).toMatchObject({
      status: 'unsupported',
      construct: '#include <thrust/sort.h>',
      file: 'h.cuh',
      line: 3,
    });
    const linked = { sources: { 'k.cu': '' }, call: '', build: { link: ['cublas'] } };
    expect(await rig.build(linked)).toMatchObject({ status: 'unsupported', construct: 'the library cublas' });
  });

  it('does not mind files that are shipped but not included', async () => {
    const run = await rig.run({
      sources: { 'src/k.cu': '#include "used.h"\nstatic int f() { return USED; }\n' },
      files: { 'include/used.h': '#define USED 5\n', 'include/tensor.h': '#include <mma.h>\n' },
      directory: 'src',
      build: { include: ['../include'] },
      call: 'printf("%d\\n", f());',
    });
    expect(run.stdout).toBe('5\nerror 0\n');
  });

  it('is not misled by comments, strings, dead code and names that only look like it', async () => {
    const text =
      '// asm volatile("x"); #include <cub/cub.cuh>\n/* wmma:: */\n#if 0\n#include <mma.h>\nasm("x");\n#endif\n' +
      'struct S { int wmma; }; static int f() { S s{3}; const char* t = "tex2D<<<1,1>>>"; return s.wmma + t[0]; }\n';
    const run = await rig.run({ sources: { 'k.cu': text }, call: 'printf("%d\\n", f());' });
    expect(run.stdout).toBe('119\nerror 0\n');
  });
});
