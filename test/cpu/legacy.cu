// Checks of code that a plain C++ compiler would not run as a GPU does: warp-synchronous code, waiting loops, __CUDA_ARCH__,
// macros around launches, attributes, clocks. Each prints its name and `ok`, or FAILED.
#include <cuda_runtime.h>
#include "legacy.cuh"

static int failures = 0;
static void check(const char* name, bool good) {
  printf("%s %s\n", name, good ? "ok" : "FAILED");
  failures += !good;
}

// ── warp-synchronous reductions and scans, as before Volta ──
template <unsigned int blockSize>
__device__ void warpReduce(volatile int* sdata, unsigned int tid) {
  if (blockSize >= 64) sdata[tid] += sdata[tid + 32];
  if (blockSize >= 32) sdata[tid] += sdata[tid + 16];
  if (blockSize >= 16) sdata[tid] += sdata[tid + 8];
  if (blockSize >= 8) sdata[tid] += sdata[tid + 4];
  if (blockSize >= 4) sdata[tid] += sdata[tid + 2];
  if (blockSize >= 2) sdata[tid] += sdata[tid + 1];
}
template <unsigned int blockSize>
__global__ void reduce6(const int* g_idata, int* g_odata, unsigned int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockSize * 2) + tid;
  sdata[tid] = 0;
  while (i < n) {
    sdata[tid] += g_idata[i] + (i + blockSize < n ? g_idata[i + blockSize] : 0);
    i += blockSize * 2 * gridDim.x;
  }
  __syncthreads();
  if (blockSize >= 128) {
    if (tid < 64) {
      sdata[tid] += sdata[tid + 64];
    }
    __syncthreads();
  }
  if (tid < 32) warpReduce<blockSize>(sdata, tid);
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
__global__ void plain_tail(int* out) {  // no volatile: the compiler of a GPU may break it, the order is the same
  __shared__ int s[64];
  int tid = threadIdx.x;
  s[tid] = tid;
  __syncthreads();
  if (tid < 32) {
    s[tid] = s[tid] + s[tid + 32];
    s[tid] = max(s[tid], s[tid + 16]);
    s[tid] = max(s[tid], s[tid + 8]);
  }
  __syncthreads();
  out[tid] = s[tid];
}
__global__ void scan_warp(int* out) {  // Hillis and Steele within a warp: reads behind, so that order matters most
  volatile __shared__ int s[32];
  int lane = threadIdx.x;
  s[lane] = 1;
  if (lane >= 1) s[lane] += s[lane - 1];
  if (lane >= 2) s[lane] += s[lane - 2];
  if (lane >= 4) s[lane] += s[lane - 4];
  if (lane >= 8) s[lane] += s[lane - 8];
  if (lane >= 16) s[lane] += s[lane - 16];
  out[lane] = s[lane];
}
__global__ void loop_in_step(float* out) {
  __shared__ float s[64];
  volatile float* v = s;
  int t = threadIdx.x;
  s[t] = 1.0f;
  __syncthreads();
  if (t < 32)
    for (int d = 32; d > 0; d >>= 1) v[t] += v[t + d];
  if (t == 0) out[0] = v[0];
}
static void test_lockstep() {
  int *in, *out;
  float* f;
  cudaMallocManaged(&in, 1000 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMallocManaged(&f, sizeof(float));
  for (int i = 0; i < 1000; ++i) in[i] = i;
  reduce6<128><<<3, 128, 128 * sizeof(int)>>>(in, out, 1000);
  bool good = out[0] + out[1] + out[2] == 499500;
  reduce6<64><<<2, 64, 128 * sizeof(int)>>>(in, out, 1000);
  check("an unrolled last warp", good && out[0] + out[1] == 499500);
  plain_tail<<<1, 64>>>(out);
  good = out[0] == 56 && out[7] == 94 - 24 + 0 && out[40] == 40;
  check("the same without volatile", good || out[0] == 80);
  scan_warp<<<1, 32>>>(out);
  good = true;
  for (int i = 0; i < 32; ++i) good &= out[i] == i + 1;
  check("a scan within a warp", good);
  loop_in_step<<<1, 64>>>(f);
  check("a loop within a warp", f[0] == 64.0f);
  cudaFree(in);
  cudaFree(out);
  cudaFree(f);
}

// ── waiting ──
__global__ void relay(volatile int* turn, int* log) {  // every thread waits for the one before it
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  while (*turn != t)
    ;
  log[t] = t;
  *turn = t + 1;
}
__global__ void reverse_relay(volatile int* turn) {
  int t = blockDim.x - 1 - threadIdx.x;
  while (turn[0] != t) {
  }
  turn[0] = t + 1;
}
__global__ void other_loops(volatile int* flags, int* out) {
  if (threadIdx.x == 0) {
    do {
      out[1]++;
    } while (flags[0] == 0);
    for (; flags[1] == 0;)
      ;
    while (true) {
      if (flags[2]) break;
    }
    out[0] = 1;
  } else {
    flags[threadIdx.x - 1] = 1;
  }
}
__global__ void locks(int* lock, int* counter) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  ++*(volatile int*)counter;
  __threadfence();
  atomicExch(lock, 0);
}
static void test_waiting() {
  int* d;
  cudaMallocManaged(&d, 256 * sizeof(int));
  d[0] = 0;
  relay<<<2, 64>>>(d, d + 1);
  bool good = d[0] == 128 && d[128] == 127;
  d[0] = 0;
  reverse_relay<<<1, 96>>>(d);
  check("polling of volatile memory", good && d[0] == 96);
  for (int i = 0; i < 8; ++i) d[i] = 0;
  other_loops<<<1, 4>>>(d, d + 4);
  check("all kinds of waiting loops", d[4] == 1);
  d[0] = d[1] = 0;
  locks<<<4, 32>>>(d, d + 1);
  check("a lock taken in the head of a loop", d[1] == 128);
  cudaFree(d);
}

// ── __CUDA_ARCH__ ──
#if __CUDA_ARCH__ >= 700
#define ONLY_DEVICE 1
#else
#define ONLY_DEVICE 2
#endif
#ifdef __CUDA_ARCH__
__device__ int twin() { return 10; }
#else
__device__ int twin() { return 20; }
#endif
#ifndef __CUDA_ARCH__
static int host_function() { return 5; }
#else
#error "the host needs the function above"
#endif
__host__ __device__ int side() {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 800)
  return 1;
#elif defined(__CUDA_ARCH__)
  return 2;
#else
  return 3;
#endif
}
#define AT_LEAST(n) (__CUDA_ARCH__ >= n)
__global__ void architecture(int* out) {
  out[0] = __CUDA_ARCH__;
#if __CUDA_ARCH__ < 600
  out[1] = -1;
#else
  out[1] = 1;
#endif
#if AT_LEAST(900) && !AT_LEAST(1000)
  out[2] = ONLY_DEVICE;
#endif
  out[3] = side();
  out[4] = twin();
}
static void test_architecture() {
  int* d;
  cudaMallocManaged(&d, 8 * sizeof(int));
  architecture<<<1, 1>>>(d);
  bool good = d[0] == 900 && d[1] == 1 && d[2] == 1 && d[3] == 1 && d[4] == 10;
#ifdef __CUDA_ARCH__
  good = false;
#endif
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  check("__CUDA_ARCH__ is the device's, in device code only", good && host_function() == 5 && p.major * 100 == d[0]);
  cudaFree(d);
}

// ── launches that the preprocessor completes ──
#define HEAD(k, n) k<<<((n) + 31) / 32, 32>>>
#define DIMENSIONS 2, 16
#define CONFIGURE(g, ...) <<<g, __VA_ARGS__>>>
#define OPEN <<<
#define CLOSE >>>
#define NAMED(k, args...) k HERE(args)
#define HERE CONFIGURE(1, 8, 0, stream)
#ifdef __INTELLISENSE__
#define KERNEL_ARGS(grid, block)
#else
#define KERNEL_ARGS(grid, block) <<<grid, block>>>
#endif
#define DYNAMIC extern __shared__
__global__ void count(int* out, int by) { atomicAdd(out, by); }
template <class T, int N>
__global__ void count_n(T* out) {
  DYNAMIC T values[];
  values[threadIdx.x] = N;
  __syncthreads();
  atomicAdd(out, values[blockDim.x - 1 - threadIdx.x]);
}
static void test_macros() {
  int* d;
  cudaMallocManaged(&d, sizeof(int));
  cudaStream_t stream = nullptr;
  auto sum = [&](int wanted) {
    bool good = *d == wanted;
    *d = 0;
    return good;
  };
  *d = 0;
  HEAD(count, 100)(d, 1);
  bool good = sum(128);
  count<<<DIMENSIONS>>>(d, 1);
  good &= sum(32);
  count CONFIGURE(3, 5)(d, 2);
  good &= sum(30);
  count_n<int, 3> CONFIGURE(1, 4, 4 * sizeof(int))(d);
  good &= sum(12);
  count OPEN 2, 2 CLOSE(d, 1);
  good &= sum(4);
  NAMED(count, d, 4);
  good &= sum(32);
  count KERNEL_ARGS(dim3(2),
                    dim3(3))(d,
                             1);
  good &= sum(6);
  FROM_HEADER(count)(d, 5);
  good &= sum(5 * 7);
  LAUNCH_ALL(count, 4, d, 2);
  check("launches that only the preprocessor completes", good && sum(8));
  cudaFree(d);
}

// ── the rest of the language ──
#define FORCED __device__ __forceinline__
struct Complex {
  float re, im;
  FORCED Complex operator*(const Complex& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
};
class Functor {
  float scale_;

 public:
  __host__ __device__ explicit Functor(float s) : scale_(s) {}
  __host__ __device__ float operator()(float x) const { return scale_ * x; }
};
template <class F>
__global__ void __launch_bounds__(128, 2) transform(float* x, int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = f(x[i]);
}
__device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __constant__ int lookup[4] = {1, 10, 100, 1000};
__device__ float4 global_vector;
struct alignas(16) Cell {
  int v[3];
};
extern __shared__ char raw[];
__global__ void aliased(size_t* out) {  // names for one memory
  extern __shared__ __align__(16) double numbers[];
  extern __shared__ Cell cells[];
  extern __shared__ float4 vectors[], more[][2];
  cells[0].v[0] = 3;
  out[0] = *reinterpret_cast<int*>(numbers) + (size_t(cells) % 16) + (size_t(vectors) % 16);
  out[0] += size_t(cells) - size_t(numbers) + (size_t(more[1]) - size_t(vectors));
}
__global__ void at_file_scope(size_t* out) { out[1] = size_t(raw) % 16; }
__global__ void clocks(long long* out) {
  long long start = clock64();
  clock_t other = clock();
  __nanosleep(1000);
  out[0] = clock64() - start;
  out[1] = clock() - other;
}
__global__ void misc(int* out) {
  out[0] = ackermann(2, 3) + lookup[threadIdx.x + 2];
  Complex a{1, 2}, b = a * a;
  out[1] = int(b.re) * 10 + int(b.im);
  global_vector.z = 4.0f;
  auto local = [=] __device__(int x) { return x + lookup[1]; };
  out[2] = local(5);
  int values[] = {3, 1, 2};
  int sum = 0;
  for (int v : values) sum += v;
  out[3] = sum;
  switch (blockDim.x) {
    case 1: out[4] = 9; break;
    default: out[4] = 0;
  }
  int* heap = (int*)malloc(16);
  heap[3] = 6;
  out[5] = heap[3];
  free(heap);
  Cell* cell = new Cell;
  out[6] = int(size_t(cell) % 16);
  delete cell;
}
static void test_rest() {
  float* x;
  long long* l;
  int* d;
  cudaMallocManaged(&x, 100 * sizeof(float));
  cudaMallocManaged(&l, 2 * sizeof(long long));
  cudaMallocManaged(&d, 8 * sizeof(int));
  for (int i = 0; i < 100; ++i) x[i] = i;
  transform<<<1, 128>>>(x, 100, Functor(2.0f));
  float bias = 1.0f;
  transform<<<1, 128>>>(x, 100, [=] __host__ __device__(float v) { return v + bias; });
  transform<<<1, 128>>>(x, 100, [bias] __device__(float v) -> float { return v - 2 * bias; });
  check("functors and lambdas", x[0] == -1.0f && x[99] == 197.0f);
  aliased<<<1, 1, 64>>>(reinterpret_cast<size_t*>(l));
  at_file_scope<<<1, 1, 64>>>(reinterpret_cast<size_t*>(l));
  check("several names of dynamic shared memory", l[0] == 35 && l[1] == 0);
  clocks<<<1, 1>>>(l);
  check("clocks", l[0] > 0 && l[1] >= 0);
  misc<<<1, 1>>>(d);
  float4 v;
  cudaMemcpyFromSymbol(&v, global_vector, sizeof v);
  check("recursion, constants, objects", d[0] == 109 && d[1] == -26 && d[2] == 15 && d[3] == 6 && d[4] == 9 &&
                                             d[5] == 6 && d[6] == 0 && v.z == 4.0f);
  cudaFree(x);
  cudaFree(l);
  cudaFree(d);
}

static void run_checks() {
  test_lockstep();
  test_waiting();
  test_architecture();
  test_macros();
  test_rest();
  printf("%d failures\n", failures);
}
