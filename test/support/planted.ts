// Faults planted in a kernel whose results are right all the same: what only a sanitizer sees. All are versions of
// test/faults/affine.cu.

export interface Planted {
  name: string;
  source: string;
  /** The finding on each target, none where that target's sanitizers do not look for it. */
  cuda?: string;
  cpu?: string;
  /** Of a race, either place. */
  lines: number[];
  /** Part of the message. */
  says?: RegExp;
}

const affine = (before: string, body: string, launch = 'k<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, n);'): string =>
  `#include <cuda_runtime.h>
${before}
__global__ void k(const float* x, float* y, float a, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float v = i < n ? a * x[i] + 1.f : 0.f;
  // A value that nothing else has: no result depends on what is compared with it.
  const unsigned odd = 0x7fc12345u;
${body}
}
extern "C" void affine(const float* x, float* y, float a, int n, cudaStream_t stream) { ${launch} }
`;

export const planted: Planted[] = [
  {
    name: 'reads one element past its input',
    source: affine('', '  if (i == n - 1 && __float_as_uint(x[n]) == odd) v = 0.f;\n  if (i < n) y[i] = v;'),
    cuda: 'out_of_bounds',
    cpu: 'out_of_bounds',
    lines: [8],
    says: /4 bytes/,
  },
  {
    name: 'lets the host read a result',
    source: affine(
      '',
      '  if (i < n) y[i] = v;',
      'k<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, n);\n  volatile float v = y[0]; (void)v;',
    ),
    cpu: 'host_access',
    lines: [11],
    says: /the host reads y, which is device memory/,
  },
  {
    name: 'races on shared memory',
    source: affine(
      '__shared__ float s[256];',
      '  s[t] = v;\n  if (__float_as_uint(s[(t + 128) % 256]) == odd) v = 0.f;\n  if (i < n) y[i] = v;',
    ),
    cuda: 'race',
    cpu: 'race',
    lines: [8, 9],
    says: /:[89].*:[89]/,
  },
  {
    name: 'reads its output before it has written it',
    source: affine('', '  if (i < n && __float_as_uint(y[i]) == odd) v = 0.f;\n  if (i < n) y[i] = v;'),
    cuda: 'uninitialized_read',
    lines: [8],
  },
  {
    name: 'writes past a shared array, into the next one',
    source: affine(
      '',
      '  __shared__ float s[256], u[256];\n  s[t] = v; u[t] = 0.f;\n  __syncthreads();\n  float* p = s;\n  if (t == 0) p[256 + n % 2] = 1.f;\n  if (i < n) y[i] = s[t];',
    ),
    cpu: 'out_of_bounds',
    lines: [12],
    says: /of s \(1024 bytes\)/,
  },
  {
    name: 'indexes past a local array',
    source: affine(
      '',
      '  float last[4] = {v, v, v, v};\n  int at = n % 1000 + 3;\n  if (__float_as_uint(last[at]) == odd) v = 0.f;\n  if (i < n) y[i] = v;',
    ),
    cpu: 'out_of_bounds',
    lines: [10],
    says: /index 4 of/,
  },
  {
    name: 'takes the maximum with shared memory that nobody has written',
    source: affine(
      '',
      '  __shared__ float s[256];\n  if (t < 200) s[t] = v;\n  __syncthreads();\n  float top = fmaxf(s[t], -1e30f);\n  if (i < n) y[i] = t < 200 ? v : fmaxf(v, top);',
    ),
    cpu: 'uninitialized_shared',
    lines: [11],
    says: /depend on it/,
  },
  {
    name: 'divides an integer by zero where nothing comes of it',
    source: affine('', '  int zero = n > 5 ? 0 : 1;\n  if (i >= n) v = float(t / zero);\n  if (i < n) y[i] = v;'),
    cpu: 'undefined_behaviour',
    lines: [9],
    says: /by zero/,
  },
  {
    name: 'reads an array of the host',
    source: affine(
      'static float* table() { static float* t = new float[256](); return t; }',
      '  if (i < n) y[i] = v;\n}\n__global__ void h(const float* t, float* y, int n) {\n  if (__float_as_uint(t[threadIdx.x]) == 0x7fc12345u) y[threadIdx.x] = 0.f;',
      'k<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, n); h<<<1, 256, 0, stream>>>(table(), y, n);',
    ),
    cpu: 'out_of_bounds',
    lines: [11],
    says: /no device memory/,
  },
  {
    name: 'reads past a device variable',
    source: affine(
      '__device__ float table[8];',
      '  const float* p = table;\n  if (__float_as_uint(p[8 + n % 2]) == odd) v = 0.f;\n  if (i < n) y[i] = v;',
    ),
    cpu: 'out_of_bounds',
    lines: [9],
    says: /of table \(32 bytes\)/,
  },
  {
    name: 'reads more dynamic shared memory than it was given',
    source: affine(
      '',
      '  extern __shared__ float d[];\n  d[t] = v;\n  __syncthreads();\n  if (__float_as_uint(d[t + 1]) == odd) v = 0.f;\n  if (i < n) y[i] = v;',
      'k<<<(n + 255) / 256, 256, 256 * sizeof(float), stream>>>(x, y, a, n);',
    ),
    // Behind the last byte a GPU faults by itself.
    cpu: 'out_of_bounds',
    lines: [11],
    says: /shared/,
  },
  {
    name: 'misses a barrier between two uses of a tile',
    source: affine(
      '',
      '  __shared__ float s[256];\n  for (int round = 0; round < 3; ++round) {\n    s[t] = v + round;\n    __syncthreads();\n    if (__float_as_uint(s[255 - t]) == odd) v = 0.f;\n  }\n  if (i < n) y[i] = v;',
    ),
    cuda: 'race',
    cpu: 'race',
    lines: [10, 12],
    says: /:1[02].*:1[02]/,
  },
  {
    name: 'misses __syncwarp between two lanes',
    source: affine(
      '',
      '  __shared__ float s[256];\n  s[t] = v;\n  if (__float_as_uint(s[t ^ 1]) == odd) v = 0.f;\n  if (i < n) y[i] = v;',
    ),
    cpu: 'race',
    lines: [9, 10],
    says: /nor __syncwarp/,
  },
  {
    name: 'reads a counter that others still add to',
    source: affine(
      '',
      '  __shared__ int count;\n  if (t == 0) count = 0;\n  __syncthreads();\n  atomicAdd(&count, 1);\n  if (count == -1) v = 0.f;\n  if (i < n) y[i] = v;',
    ),
    cpu: 'race',
    lines: [11, 12],
    says: /count/,
  },
];
