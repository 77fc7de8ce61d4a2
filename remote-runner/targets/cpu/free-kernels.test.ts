import { describe, expect, it } from 'vitest';
import { boundNames } from './bound-names.js';
import { collectNames } from './job-names.js';
import { rewriteCuda } from './rewrite.js';

const rewritten = (text: string): string => {
  const names = collectNames([text]);
  return rewriteCuda(text, names, boundNames([text], names)).text;
};
const kernel = (body: string, parameters = 'int n, float* x'): string => `__global__ void k(${parameters}) { ${body} }`;
const kind = (text: string): string | undefined => /KS_FREE_RUN\((\w+)\)/.exec(rewritten(text))?.[1];

describe('free kernels', () => {
  it('become loops over their threads', () => {
    expect(rewritten(kernel('x[threadIdx.x] = n;'))).toBe(
      '__global__ void k(int n, float* x) { KS_FREE_KERNEL { x[threadIdx.x] = n;  }; KS_FREE_RUN(unguarded) }',
    );
  });

  it('stand beside kernels that wait', () => {
    const text = `${kernel('x[threadIdx.x] = n;')}\n__global__ void w(int* y) { __syncthreads(); *y = 1; }`;
    expect(rewritten(text)).toContain('KS_FREE_RUN');
    expect(rewritten(text)).toContain('void w(int* y) { __syncthreads(); *y = 1; }');
  });

  it('have their own copy of a parameter that they change', () => {
    for (const change of ['x += n;', 'x++;', '--x;', 'f(&x);', 'x = 0;', 'auto& y = x; y++;'])
      expect(rewritten(kernel(change))).toContain('auto& ks_outer_x = x; KS_FREE_KERNEL { KS_OWN_PARAMETER(x)');
    expect(rewritten(kernel('p.n = 1;', 'P p'))).toContain('KS_OWN_PARAMETER(p)');
    expect(rewritten(kernel('p.next();', 'P p'))).toContain('KS_OWN_PARAMETER(p)');
    expect(rewritten(`__device__ void f(float*& p) {}\n${kernel('f(x);')}`)).toContain('KS_OWN_PARAMETER(x)');
    expect(rewritten(kernel('x[n] = p.n + (n == 1) + q->n;', 'int n, float* x, P p, Q* q'))).not.toContain('KS_OWN');
  });

  it.each([
    '__syncthreads();',
    'int m = __syncthreads_count(1);',
    '__syncwarp();',
    'x[0] = __shfl_down_sync(~0u, x[0], 1);',
    'unsigned m = __activemask();',
    '__shared__ float s[32];',
    'extern __shared__ float s[];',
    'auto b = this_thread_block(); b.sync();',
    'assert(n);',
    'volatile float* y = x;',
    'cuda::atomic_ref<float> a(*x);',
    'while (atomicCAS((int*)x, 0, 1) != 0) {}',
    'for (bool done = false; !done;) { if (atomicCAS((int*)x, 0, 1) == 0) done = true; }',
    'x[::threadIdx.x] = n;',
    'auto f = []() { return threadIdx.x; };',
    'struct L { int t = threadIdx.x; };',
    '\n#if N\n x[0] = n;\n#endif\n',
  ])('are not those with %s', (body) => {
    expect(kind(kernel(body))).toBeUndefined();
  });

  it.each([
    ['a function that waits', '__device__ void f() { __syncthreads(); }'],
    ['a function that asks where it is', '__device__ int f() { return threadIdx.x; }'],
    ['a function of a function', '__device__ int g() { return blockIdx.x; }\n__device__ int f() { return g(); }'],
    ['a macro that waits', '#define f() __syncthreads()'],
    ['a macro of a function', '__device__ int g() { return blockIdx.x; }\n#define f() g()'],
    ['an operator that waits', 'struct F { __device__ int operator()() { __syncthreads(); return 0; } };'],
    ['a function that waits elsewhere', '__device__ void f() {\n#ifdef A\n  __syncthreads();\n#endif\n}'],
  ])('do not call %s', (_, text) => {
    expect(kind(`${text}\n${kernel('f();')}`)).toBeUndefined();
  });

  it('may call what only computes, and macros for the index', () => {
    expect(kind(`__device__ float f(float a) { return a; }\n${kernel('x[0] = f(n);')}`)).toBe('unguarded');
    expect(kind(`#define ID (blockIdx.x * blockDim.x + threadIdx.x)\n${kernel('if (ID < n) x[ID] = 1;')}`)).toBe(
      'guarded',
    );
  });
});

describe('conditions at the head of a kernel', () => {
  const index = 'const int i = blockIdx.x * blockDim.x + threadIdx.x;';

  it('are asked first', () => {
    expect(rewritten(kernel(`${index} if (i >= n) return; x[i] = 1;`))).toContain(
      'if (KS_OUTSIDE_LAST(i >= n)) return; x[i]',
    );
    expect(rewritten(kernel(`${index} if (i < n) x[i] = 1;`))).toContain('if (KS_INSIDE(i < n)) x[i] = 1;');
    expect(rewritten(kernel(`${index} if (i < 0) { return; } int j = i * 2; if (j < n) { x[j] = 1; }`))).toContain(
      'if (KS_OUTSIDE(i < 0)) { return; } int j = i * 2; if (KS_INSIDE(j < n)) { x[j] = 1; }',
    );
  });

  it.each([
    ['reads memory', `${index} if (x[i] < n) x[i] = 1;`],
    ['reads memory through a pointer', `${index} if (*x < n) x[i] = 1;`],
    ['reads memory behind a cast', `${index} if ((int)*x < n) x[i] = 1;`],
    ['calls a function', `${index} if (f(i)) x[i] = 1;`],
    ['changes something', `${index} if (i++ < n) x[i] = 1;`],
    ['comes after something is done', `${index} x[0] = 1; if (i < n) x[i] = 1;`],
    ['has an alternative', `${index} if (i < n) x[i] = 1; else x[0] = 2;`],
    ['does not end the kernel', `${index} if (i < n) x[i] = 1; x[0] = 2;`],
  ])('are left alone where one %s', (_, body) => {
    expect(kind(kernel(body))).toBe('unguarded');
  });

  const loop = (body: string, step = 'i += gridDim.x * blockDim.x', before = ''): string =>
    kernel(`${before} for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; ${step}) ${body}`);

  it('take loops over the grid one turn at a time', () => {
    expect(rewritten(loop('x[i] *= 2;'))).toContain(
      'for (int i = blockIdx.x * blockDim.x + threadIdx.x, ks_turn = 1; ks_turn && KS_TURN(i, (gridDim.x * blockDim.x), i < n); ks_turn = 0) x[i] *= 2;',
    );
    expect(kind(loop('{ x[i] *= 2; }', 'i = i + stride', 'int stride = gridDim.x * blockDim.x;'))).toBe('strided');
  });

  it.each([
    ['carry a sum', loop('s += x[i];', undefined, 'float s = 0;')],
    ['end early', loop('{ if (x[i] < 0) break; x[i] = 1; }')],
    ['return', loop('{ if (x[i] < 0) return; x[i] = 1; }')],
    ['change their index', loop('{ x[i] = 1; i++; }')],
    ['change their bound', loop('{ x[i] = 1; n--; }')],
    ['are not the last', kernel('for (int i = threadIdx.x; i < n; i += 32) x[i] = 1; x[0] = 2;')],
    ['double their index', loop('x[i] = 1;', 'i += i')],
    ['read memory in their condition', kernel('for (int i = threadIdx.x; i < x[0]; i += 32) x[i] = 1;')],
  ])('leave alone loops that %s', (_, text) => {
    expect(kind(text)).toBe('unguarded');
  });
});
