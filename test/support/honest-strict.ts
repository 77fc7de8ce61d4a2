// Kernels that are right, and close to what strict mode looks for: versions of test/faults/affine.cu that may leave a
// warning, never a finding.

export interface Honest {
  source: string;
  /** What may be said of it. */
  warns?: RegExp;
}

const kernel = (body: string, before = '', launch = 'k<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, n);'): string =>
  `#include <cuda_runtime.h>
${before}
__global__ void k(const float* x, float* y, float a, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float v = i < n ? a * x[i] + 1.f : 0.f;
${body}
}
extern "C" void affine(const float* x, float* y, float a, int n, cudaStream_t stream) { ${launch} }
`;

export const honestStrict: Record<string, Honest> = {
  'a warp that exchanges through shared memory with __syncwarp': {
    source: kernel(`  __shared__ float s[256];
  s[t] = v;
  __syncwarp();
  float other = s[t ^ 1];
  __syncwarp();
  s[t] = other;
  __syncwarp();
  if (i < n) y[i] = s[t ^ 1];`),
  },
  'a sort of the block by cub': {
    source: kernel(
      `  typedef cub::BlockRadixSort<int, 256, 1, int> Sort;
  __shared__ typename Sort::TempStorage room;
  int key[1] = {t ^ 77}, value[1] = {t};
  Sort(room).Sort(key, value);
  if (i < n) y[i] = key[0] == t && value[0] == (t ^ 77) ? v : 0.f;`,
      '#include <cub/cub.cuh>',
    ),
  },
  'double buffering with one barrier a round': {
    source: kernel(`  __shared__ float s[2][256];
  for (int round = 0; round < 4; ++round) {
    s[round & 1][255 - t] = v;
    __syncthreads();
    v = s[round & 1][255 - t];
  }
  if (i < n) y[i] = v;`),
  },
  'a reduction tree, threads that have left, and one that writes': {
    source: kernel(`  __shared__ float s[256];
  s[t] = v;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (i >= n) return;
  y[i] = v + 0.f * (s[0] > 3e38f);
  if (t > 100) return;
  __syncthreads();
  if (t == 0) s[0] = 1.f;`),
  },
  'cooperative groups: tiles, coalesced threads, the block': {
    source: kernel(
      `  __shared__ float s[256];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  s[t] = v;
  tile.sync();
  float other = s[t / 16 * 16 + (t + 5) % 16];
  tile.sync();
  s[t / 16 * 16 + (t + 5) % 16] = other;
  if (t % 3 == 0) {
    auto some = cg::coalesced_threads();
    s[t] = v;
    some.sync();
  }
  block.sync();
  if (i < n) y[i] = s[255 - (255 - t)];`,
      '#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;',
    ),
  },
  'a histogram by atomics on shared memory': {
    source: kernel(`  __shared__ unsigned bins[16];
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[t % 16], 1u);
  __syncthreads();
  if (i < n) y[i] = v + (bins[t % 16] == 16 ? 0.f : 1.f);`),
  },
  'warps that hand over through a flag and fences': {
    source: kernel(`  __shared__ float s;
  __shared__ int ready;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t == 0) {
    s = 1.f;
    __threadfence_block();
    atomicExch(&ready, 1);
  }
  if (t == 64) {
    while (atomicAdd(&ready, 0) == 0) {}
    __threadfence_block();
    if (s != 1.f) v = 0.f;
  }
  if (i < n) y[i] = v;`),
  },
  'a flag that is volatile': {
    source: kernel(`  __shared__ float s;
  __shared__ volatile int ready;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t == 0) {
    s = 1.f;
    __threadfence_block();
    ready = 1;
  }
  if (t == 64) {
    while (ready == 0) __nanosleep(10);
    __threadfence_block();
    if (s != 1.f) v = 0.f;
  }
  if (i < n) y[i] = v;`),
  },
  'all threads write the same to one flag': {
    source: kernel(`  __shared__ int any;
  if (t == 0) any = 0;
  __syncthreads();
  if (v > -1e30f) any = 1;
  __syncthreads();
  if (i < n) y[i] = any ? v : 0.f;`),
  },
  'dynamic shared memory carved into arrays of several types': {
    source: kernel(
      `  extern __shared__ char raw[];
  float4* q = reinterpret_cast<float4*>(raw);
  double* d = reinterpret_cast<double*>(q + 64);
  unsigned char* b = reinterpret_cast<unsigned char*>(d + 256);
  if (t < 64) q[t] = make_float4(v, v, v, v);
  d[t] = v;
  b[t] = (unsigned char)t;
  __syncthreads();
  if (i < n) y[i] = float(d[t]) + (b[255 - t] == 255 - t ? 0.f : 1.f) + 0.f * (q[t / 4].x > 3e38f);`,
      '',
      'k<<<(n + 255) / 256, 256, 64 * 16 + 256 * 8 + 256, stream>>>(x, y, a, n);',
    ),
  },
  'shared memory used again as another type, a union, bytes of several threads in one word': {
    source: kernel(
      `  __shared__ Both u;
  __shared__ unsigned char bytes[256];
  u.i[t] = t;
  bytes[t] = (unsigned char)(t * 3);
  __syncthreads();
  int mine = u.i[255 - t];
  __syncthreads();
  u.f[t] = v + (mine == 255 - t ? 0.f : 1.f) + (bytes[t ^ 1] == (unsigned char)((t ^ 1) * 3) ? 0.f : 1.f);
  if (i < n) y[i] = u.f[t];`,
      'union Both { float f[256]; int i[256]; };',
    ),
  },
  'a padded tile that is written by rows and read by columns, and gone through from its first row': {
    source: kernel(`  __shared__ float tile[16][17];
  tile[t / 16][t % 16] = v;
  __syncthreads();
  float c = tile[t % 16][t / 16];
  __syncthreads();
  tile[t % 16][t / 16] = c;
  __syncthreads();
  float w = tile[0][t / 16 * 17 + t % 16];
  if (i < n) y[i] = w;`),
    warns: /index \d+ of/,
  },
  'shared memory in a template and in a structure': {
    source: kernel(
      `  float r = through<float, 256>(v) + through<double, 256>(0.0);
  if (i < n) y[i] = r;`,
      `template <class T, int N> struct Buffer { T at[N]; };
template <class T, int N> __device__ T through(T v) {
  __shared__ Buffer<T, N> buffer;
  __syncthreads();
  buffer.at[N - 1 - threadIdx.x] = v;
  __syncthreads();
  return buffer.at[N - 1 - threadIdx.x];
}`,
    ),
  },
  'vector loads and stores of what is aligned': {
    source: kernel(
      `  (void)v;
  if (i < n / 4) {
    float4 q = reinterpret_cast<const float4*>(x)[i];
    q.x = a * q.x + 1.f; q.y = a * q.y + 1.f; q.z = a * q.z + 1.f; q.w = a * q.w + 1.f;
    reinterpret_cast<float4*>(y)[i] = q;
  }
  if (i >= n / 4 * 4 && i < n) y[i] = a * x[i] + 1.f;`,
    ),
  },
  'lanes beyond the end read what nobody has written and throw it away': {
    source: kernel(`  __shared__ float sums[32];
  float sum = v;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  float s = __shfl_xor_sync(0xffffffffu, sums[t % 32], 1);
  if (t % 32 >= 8) s = 0.f;
  if (i < n) y[i] = v + 0.f * (s > 3e38f);`),
    warns: /has not written; the results do not depend on it/,
  },
  'the last warp of old, through a volatile pointer': {
    source: kernel(`  __shared__ float s[256];
  s[t] = v;
  __syncthreads();
  if (t < 32) {
    volatile float* w = s;
    w[t] += 0.f * w[t + 32];
    w[t] += 0.f * w[t + 16];
    w[t] += 0.f * w[t + 8];
  }
  __syncthreads();
  if (i < n) y[i] = v;`),
    warns: /./,
  },
  'a block that ends early, loops over the grid, reads a constant and a device table': {
    source: kernel(
      `  if (blockIdx.x % 2 == 1 && n < 0) return;
  for (int at = i; at < n; at += gridDim.x * blockDim.x) y[at] = scale[0] * (a * x[at] + 1.f) + table[at % 4] + v * 0.f;`,
      '__constant__ float scale[2] = {1.f, 2.f};\n__device__ float table[4] = {0.f, 0.f, 0.f, 0.f};',
    ),
  },
  'a hash that wraps around, shifts to the edge': {
    source: kernel(`  int h = t * 0x01000193 + i * 0x7fffffff;
  h ^= h >> 31; h *= 0x45d9f3b; h -= int(0x80000000u);
  if (i < n) y[i] = v + (h == 0 && t == -1 ? 1.f : 0.f);`),
  },
  'a scratch buffer of its own, copied by bytes in the kernel': {
    source: kernel(
      `  __shared__ char bytes[256 * sizeof(float)];
  memcpy(bytes + t * sizeof(float), &v, sizeof v);
  __syncthreads();
  float w;
  memcpy(&w, bytes + t * sizeof(float), sizeof w);
  if (i < n) scratch[i] = w;
}
__global__ void out(const float* scratch, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = scratch[i];`,
      '',
      'float* s; cudaMallocAsync(&s, n * sizeof(float), stream); k<<<(n + 255) / 256, 256, 0, stream>>>(x, s, a, n); out<<<(n + 255) / 256, 256, 0, stream>>>(s, y, n); cudaFreeAsync(s, stream);',
    ).replace('float* y, float a, int n) {', 'float* scratch, float a, int n) {'),
  },
};
