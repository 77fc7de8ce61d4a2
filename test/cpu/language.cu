// Checks of the language: each prints its name and `ok`, or what it got. run_checks() is the only entry.
// No CUDA header is included on purpose: nvcc includes its runtime header by itself.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

static int failures = 0;
static void check(const char* name, bool good) {
  printf("%s %s\n", name, good ? "ok" : "FAILED");
  failures += !good;
}
template <class T>
struct Array {
  T* data;
  size_t n;
  explicit Array(size_t count, T value = T()) : n(count) {
    cudaMalloc(&data, n * sizeof(T));
    for (size_t i = 0; i < n; ++i) data[i] = value;
  }
  ~Array() { cudaFree(data); }
  operator T*() { return data; }
};

// ── indices ──
__global__ void indices(int* out) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}
static void test_indices() {
  Array<int> out(2 * 3 * 4 * 5 * 6 * 7);
  indices<<<dim3(2, 3, 4), dim3(5, 6, 7)>>>(out);
  bool good = true;
  for (int i = 0; i < 24 * 210; ++i) good &= out[i] == i / 210 * 1000 + i % 210;
  check("indices", good);
}

// ── launches by pointer ──
__global__ void twice(int* out, int factor) { out[threadIdx.x] *= factor; }
static void test_launch_pointer() {
  Array<int> out(4, 3);
  int* data = out;
  int factor = 2;
  void* arguments[] = {&data, &factor};
  bool good = cudaLaunchKernel((void*)twice, dim3(1), dim3(4), arguments, 0, 0) == cudaSuccess;
  good &= cudaLaunchKernel((const void*)&twice, 1, 4, arguments, 0, 0) == cudaSuccess;
  check("a kernel cast to void*", good && out[0] == 12 && out[3] == 12);
}

// ── groups of any kind ──
__device__ int group_sum(cooperative_groups::thread_group group, int* scratch, int value) {
  for (unsigned half = group.size() / 2; half > 0; half /= 2) {
    scratch[group.thread_rank()] = value;
    group.sync();
    if (group.thread_rank() < half) value += scratch[group.thread_rank() + half];
    group.sync();
  }
  return value;
}
__global__ void any_group(int* out) {
  namespace cg = cooperative_groups;
  __shared__ int scratch[64];
  int block = group_sum(cg::this_thread_block(), scratch, threadIdx.x);
  if (threadIdx.x == 0) out[0] = block;
  int tile = group_sum(cg::tiled_partition<16>(cg::this_thread_block()), scratch + threadIdx.x / 16 * 16, 1);
  cg::thread_group dynamic = cg::tiled_partition(cg::this_thread_block(), 8);
  if (threadIdx.x == 48) out[1] = tile;
  if (threadIdx.x == 61) out[2] = 100 * dynamic.size() + dynamic.thread_rank();
}
static void test_any_group() {
  Array<int> out(3);
  any_group<<<1, 64>>>(out);
  check("thread_group", out[0] == 2016 && out[1] == 16 && out[2] == 805);
}

// ── barriers ──
__global__ void votes(int* out, int n) {
  int t = threadIdx.x;
  if (t >= n) return;  // leaves before every barrier below
  out[3 * t] = __syncthreads_count(t % 3 == 0);
  out[3 * t + 1] = __syncthreads_and(t < 1000);
  out[3 * t + 2] = __syncthreads_or(t == 7);
}
__global__ void rotate3d(int* out) {  // a barrier in rows and planes, not only along x
  __shared__ int tile[4][4][4];
  tile[threadIdx.z][threadIdx.y][threadIdx.x] = threadIdx.x + 4 * threadIdx.y + 16 * threadIdx.z;
  __syncthreads();
  out[threadIdx.x + 4 * threadIdx.y + 16 * threadIdx.z] = tile[threadIdx.x][threadIdx.z][threadIdx.y];
}
__global__ void two_sites(int* out) {  // each half of the block arrives at the barrier from another line
  __shared__ int s[64];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + 32];
  } else {
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x - 32];
  }
}
static void test_barriers() {
  Array<int> out(3 * 200);
  votes<<<1, 256>>>(out, 200);
  bool good = true;
  for (int t = 0; t < 200; ++t) good &= out[3 * t] == 67 && out[3 * t + 1] == 1 && out[3 * t + 2] == 1;
  check("barrier votes with exited threads", good);
  rotate3d<<<1, dim3(4, 4, 4)>>>(out);
  good = true;
  for (int i = 0; i < 64; ++i) good &= out[i] == (i / 4 % 4) + 4 * (i / 16) + 16 * (i % 4);
  check("barrier in three dimensions", good);
  two_sites<<<1, 64>>>(out);
  good = true;
  for (int i = 0; i < 64; ++i) good &= out[i] == (i + 32) % 64;
  check("barrier from two lines", good);
}

// ── warps ──
__global__ void warp_things(unsigned* out) {
  unsigned t = threadIdx.x, lane = t % 32, all = 0xffffffffu;  // 40 threads: the second warp has 8 lanes
  unsigned* o = out + 16 * t;
  o[0] = __ballot_sync(all, lane % 2);
  o[1] = __all_sync(all, t < 39);
  o[2] = __any_sync(all, t == 39);
  o[3] = __match_any_sync(all, lane / 4);
  int same;
  o[4] = __match_all_sync(all, t / 32, &same) + same;
  o[5] = __reduce_add_sync(all, t);
  o[6] = __reduce_max_sync(all, -int(lane)) + 100;
  o[7] = __reduce_xor_sync(all, 1u << lane);
  o[8] = unsigned(__shfl_sync(all, 1e300 * lane, 3) / 1e300);
  o[9] = unsigned(__shfl_xor_sync(all, 5000000000ull + lane, 1) - 5000000000ull);
  // Two halves of a warp with masks of their own, at the same time.
  if (lane < 16) o[10] = __shfl_down_sync(t < 32 ? 0xffffu : 0xffu, t, 1);
  else o[10] = __shfl_up_sync(0xffff0000u, t, 1, 16);
  o[11] = lane < 5 ? __activemask() : 0u;
  __syncwarp();
  o[12] = __popc(__activemask());
}
__global__ void leavers(int* out, int n) {  // lanes have exited when the rest shuffles with a full mask
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int v = t;
  for (int d = 16; d > 0; d /= 2) {
    int w = __shfl_xor_sync(0xffffffffu, v, d);
    if ((t ^ d) < n) v = max(v, w);
  }
  __syncthreads();
  out[t] = v;
}
static void test_warps() {
  Array<unsigned> out(16 * 40);
  warp_things<<<1, 40>>>(out);
  bool good = true;
  for (unsigned t = 0; t < 40; ++t) {
    unsigned* o = out + 16 * t;
    unsigned lane = t % 32, exist = t < 32 ? 0xffffffffu : 0xffu;
    good &= o[0] == (0xaaaaaaaau & exist) && o[1] == (t < 32) && o[2] == (t >= 32) && o[3] == 0xfu << (lane & ~3u);
    good &= o[4] == exist + 1u && o[5] == (t < 32 ? 496u : 32 * 8 + 28u) && o[6] == 100 && o[7] == exist && o[8] == 3;
    good &= o[9] == (lane ^ 1u);
    if (lane < 16 && lane != (t < 32 ? 15u : 7u)) good &= o[10] == t + 1;
    if (lane >= 16) good &= o[10] == (lane == 16 ? t : t - 1);
    good &= o[11] == (lane < 5 ? 0x1fu : 0u) && o[12] == unsigned(__builtin_popcount(exist));
  }
  check("warp functions", good);
  Array<int> v(100);
  leavers<<<2, 64>>>(v, 100);
  good = v[0] == 31 && v[40] == 63 && v[70] == 95 && v[98] >= 98;
  check("shuffles after lanes have left", good);
}

// ── cooperative groups ──
namespace cg = cooperative_groups;
__global__ void groups(int* out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int v = int(block.thread_rank());
  int sum = cg::reduce(tile, v, cg::plus<int>());
  int scan = cg::inclusive_scan(tile, 1);
  int next = tile.shfl_down(v, 1);
  int odd = 0;
  if (v % 2) {
    cg::coalesced_group active = cg::coalesced_threads();
    odd = int(active.size() * 100 + active.thread_rank()) + active.shfl(v, 0) * 10000;
  }
  block.sync();
  int* o = out + 6 * v;
  o[0] = sum;
  o[1] = scan;
  o[2] = next;
  o[3] = int(tile.meta_group_rank());
  o[4] = odd;
  o[5] = int(tile.ballot(v % 2));
}
static void test_groups() {
  Array<int> out(6 * 64);
  groups<<<1, 64>>>(out);
  bool good = true;
  for (int t = 0; t < 64; ++t) {
    int* o = out + 6 * t;
    good &= o[0] == 8 * (t / 8 * 8) + 28 && o[1] == t % 8 + 1 && o[2] == (t % 8 == 7 ? t : t + 1) && o[3] == t / 8;
    good &= o[4] == (t % 2 ? 1600 + t % 32 / 2 + 10000 * (t / 32 * 32 + 1) : 0) && o[5] == 0xaa;
  }
  check("cooperative groups", good);
}

// ── atomics ──
__global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&i[0], 1);
  atomicSub(&i[1], 2);
  atomicMin(&i[2], -t);
  atomicMax(&i[3], t);
  atomicAnd(&i[4], ~(1 << t % 8));
  atomicOr(&i[5], 1 << t % 31);
  atomicXor(&i[6], t);
  atomicAdd(&u[0], 3u);
  atomicInc(&u[1], 9u);
  atomicDec(&u[2], 9u);
  atomicExch(&u[3], 5u);
  atomicMax(&u[4], 0x80000000u + t);
  atomicAdd(&l[0], 1ull << 33);
  atomicMax(&l[1], (unsigned long long)t << 32);
  atomicAdd(&f[0], 0.5f);
  atomicAdd(&d[0], 0.25);
  atomicAdd_block(&f[1], 1.0f);
  atomicExch(&f[2], 7.5f);
}
__device__ unsigned finished = 0;
__global__ void last_block_sums(const int* x, int* parts, int* total, int n) {
  __shared__ bool is_last;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  atomicAdd(&parts[blockIdx.x], sum);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += parts[b];
    *total = all;
  }
}
__global__ void locked(int* lock, int* counter) {  // every thread of every block takes one spin lock
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      ++*(volatile int*)counter;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
__global__ void handshake(int* flag, int* out) {  // thread 0 polls for the last thread of its block
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    *out = *flag;
  } else if (threadIdx.x == blockDim.x - 1) {
    atomicExch(flag, 42);
  }
}
static void test_atomics() {
  const int n = 32 * 64;
  Array<int> i(7);
  Array<unsigned> u(5);
  Array<unsigned long long> l(2);
  Array<float> f(3);
  Array<double> d(1);
  i[4] = 0xff;
  atomics<<<32, 64>>>(i, u, l, f, d);
  bool good =
      i[0] == n && i[1] == -2 * n && i[2] == 1 - n && i[3] == n - 1 && i[4] == 0 && i[5] == 0x7fffffff && i[6] == 0;
  good &= u[0] == 3u * n && u[1] == n % 10 && u[2] == (10 - n % 10) % 10 && u[3] == 5 && u[4] == 0x80000000u + n - 1;
  good &= l[0] == (unsigned long long)n << 33 && l[1] == (unsigned long long)(n - 1) << 32;
  good &= f[0] == 0.5f * n && f[1] == n && f[2] == 7.5f && d[0] == 0.25 * n;
  check("atomics", good);
  Array<int> x(10000, 1), parts(16), total(1);
  last_block_sums<<<16, 64>>>(x, parts, total, 10000);
  check("last block sums", total[0] == 10000);
  Array<int> lock(1), counter(1);
  locked<<<8, 64>>>(lock, counter);
  check("spin lock", counter[0] == 512);
  Array<int> flag(1), out(1);
  handshake<<<1, 96>>>(flag, out);
  check("polling within a block", out[0] == 42);
}

// ── shared memory ──
extern __shared__ float everywhere[];
__global__ void at_namespace_scope(float* out) {
  everywhere[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = everywhere[blockDim.x - 1 - threadIdx.x];
}
template <class T>
__global__ void in_template(T* out) {
  extern __shared__ __align__(16) unsigned char bytes[];
  T* s = reinterpret_cast<T*>(bytes);
  s[threadIdx.x] = T(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
template <class T>
__global__ void typed_in_template(T* out) {
  extern __shared__ T typed[];
  auto put = [&](int i) { typed[i] = T(2 * i); };
  put(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = typed[blockDim.x - 1 - threadIdx.x];
}
__device__ int* counter_of_block() {
  static __shared__ int counter;
  return &counter;
}
__global__ void in_function(int* out) {
  if (threadIdx.x == 0) *counter_of_block() = 0;
  __syncthreads();
  atomicAdd(counter_of_block(), 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = *counter_of_block();
}
__global__ void uninitialised(int* out) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[32];
  out[threadIdx.x] = dynamic[threadIdx.x] != 0 && fixed[threadIdx.x] != 0;
  fixed[threadIdx.x] = dynamic[threadIdx.x] = threadIdx.x;
}
__global__ void unused_grid_dim(int* out, const int lane = 3) { out[lane] = gridDim.x; }
static void test_shared() {
  Array<int> zero(32, 7);
  uninitialised<<<1, 32, 128>>>(zero);
  bool good = true;
  for (int i = 0; i < 32; ++i) good &= zero[i] == 1;
  check("shared memory does not start as zeros", good);
  Array<float> f(128);
  Array<double> d(128);
  at_namespace_scope<<<1, 128, 512>>>(f);
  good = true;
  for (int i = 0; i < 128; ++i) good &= f[i] == 127 - i;
  in_template<float><<<1, 128, 1024>>>(f);
  in_template<<<1, 128, 1024>>>(d.data);
  for (int i = 0; i < 128; ++i) good &= f[i] == 127 - i && d[i] == 127 - i;
  typed_in_template<<<2, 128, 1024>>>(d.data);
  for (int i = 0; i < 128; ++i) good &= d[i] == 2 * (127 - i);
  check("dynamic shared memory", good);
  Array<int> n(100);
  in_function<<<100, 33>>>(n);
  good = true;
  for (int i = 0; i < 100; ++i) good &= n[i] == 33;
  check("static shared memory in a function", good);
}

// ── launches ──
struct Params {
  int a;
  float b;
};
struct Loud {  // counts copies made on the host and holds its value
  int v;
  Loud(int value) : v(value) {}
};
__global__ void take(int* out, Params p, const float* null) { out[threadIdx.x] = p.a + int(p.b) + (null == nullptr); }
__global__ void convert(int* out, float f, Loud loud, bool b) { out[0] = int(f * 2) + loud.v + b; }
template <int N, class T = int>
__global__ void templated(T* out, T value) {
  out[0] = N * value;
}
template <class... A>
__global__ void many(int* out, A... a) {
  out[0] = int((a + ... + 0));
}
template <class F>
__global__ void apply(F f, int* out) {
  out[threadIdx.x] = f(threadIdx.x);
}
namespace deep {
namespace inner {
__global__ void scale(int* out, int by) { out[0] *= by; }
}  // namespace inner
}  // namespace deep
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void recursive(int* out) { out[threadIdx.x] = fib(threadIdx.x); }
class Launcher {
  int by_ = 6;

 public:
  void go(int* out) const { templated<7><<<1, 1>>>(out, by_); }
};
template <class... A>
void forward_all(int* out, A... a) {
  many<<<1, 1>>>(out, a...);
}
template <class T>
void dependent(T* out, bool on) {
  if (on) templated<3, T><<<1, 1>>>(out, T(5));
  else templated<4, T><<<1, 1>>>(out, T(5));
}
static int evaluations = 0;
static int once() { return ++evaluations; }
__noinline__ static int not_inlined(int x) { return x + 1; }
static void test_launches() {
  Array<int> out(64);
  take<<<1, 4>>>(out, {3, 4.5f}, 0);
  bool good = out[3] == 8;
  take<<<dim3{1u, 1, 1}, 4>>>(out, Params{30, 4.5f}, nullptr);
  good &= out[0] == 35;
  take<<<1, 4>>>(out,
                 {1,  // a comment within
                  2.5f},
                 NULL);
  good &= out[0] == 4;
  convert<<<1, 1>>>(out, 3, 10, 2.5);
  good &= out[0] == 17;
  templated<2><<<1, 1>>>(out.data, 21);
  good &= out[0] == 42;
  Launcher().go(out);
  good &= out[0] == 42;
  dependent(out.data, true);
  good &= out[0] == 15;
  dependent(out.data, false);
  good &= out[0] == 20;
  forward_all(out, 1, 2L, 3.0f);
  good &= out[0] == 6;
  forward_all(out);
  good &= out[0] == 0;
  int bias = 100;
  apply<<<1, 8>>>([bias] __device__(int i) { return bias + i; }, out);
  good &= out[7] == 107;
  out[0] = 5;
  deep::inner::scale<<<1, 1>>>(out, 3);
  good &= out[0] == 15;
  auto pointer = deep::inner::scale;
  pointer<<<1, 1>>>(out, 2);
  good &= out[0] == 30;
  unused_grid_dim<<<9, 1>>>(out);
  good &= out[3] == 9;
  for (int r = 0; r < 3; ++r) deep::inner::scale<<<1, 64>>>(out, once() > 0 ? 1 : 0);
  good &= evaluations == 3;
  auto lambda = [&](int v) { templated<1><<<1, 1>>>(out.data, v); };
  lambda(11);
  good &= out[0] == 11;
  int seven = 7;
  int* place = out;
  void* arguments[] = {&place, &seven};
  cudaLaunchKernel(deep::inner::scale, dim3(1), dim3(1), arguments, 0, 0);
  good &= out[0] == 77 && not_inlined(1) == 2;
  check("launches", good);
  recursive<<<1, 16>>>(out);
  check("recursion", out[15] == 610);
}

// ── runtime API ──
__constant__ float coefficients[3] = {1, 2, 3};
__device__ int device_counter = 5;
__managed__ int managed = 1;
__global__ void use_symbols(float* out) {
  out[0] = coefficients[0] + coefficients[2];
  device_counter += 1;
  managed = 9;
}
static void test_api() {
  Array<float> out(4);
  float two = 2;
  bool good = cudaMemcpyToSymbol(coefficients, &two, sizeof two, 2 * sizeof two) == cudaSuccess;
  good &= cudaMemcpyToSymbol(coefficients, &two, sizeof two, 3 * sizeof two) == cudaErrorInvalidValue;
  use_symbols<<<1, 1>>>(out);
  int n = 0;
  cudaMemcpyFromSymbol(&n, device_counter, sizeof n);
  good &= out[0] == 3 && n == 6 && managed == 9;
  char from[6] = "abcde", to[12] = {};
  good &=
      cudaMemcpy2D(to, 4, from, 2, 2, 2, cudaMemcpyDefault) == cudaSuccess && to[0] == 'a' && to[4] == 'c' && !to[2];
  void* p = nullptr;
  good &= cudaMalloc(&p, 100) == cudaSuccess && ((unsigned char*)p)[0] != 0;
  good &= cudaMemcpy(p, from, 200, cudaMemcpyHostToDevice) == cudaErrorInvalidValue;
  good &= cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess;
  good &= cudaFree(p) == cudaSuccess && cudaFree(p) == cudaErrorInvalidValue && cudaFree(nullptr) == cudaSuccess;
  good &= cudaMalloc(&p, size_t(1) << 50) == cudaErrorMemoryAllocation;
  cudaGetLastError();
  cudaEvent_t a, b;
  cudaStream_t s;
  float ms = -1;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaStreamCreate(&s);
  cudaEventRecord(a, s);
  use_symbols<<<1, 1, 0, s>>>(out);
  cudaEventRecord(b, s);
  cudaEventSynchronize(b);
  good &= cudaEventElapsedTime(&ms, a, b) == cudaSuccess && ms >= 0 && ms < 10000;
  cudaEventDestroy(a);
  cudaEventDestroy(b);
  cudaStreamDestroy(s);
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use_symbols, 256, 0);
  good &= prop.warpSize == 32 && prop.maxThreadsPerBlock == 1024 && blocks == 8;
  check("runtime API", good);

  // Errors of a launch run nothing and are not sticky.
  out[0] = -1;
  use_symbols<<<1, 1025>>>(out);
  good = cudaGetLastError() == cudaErrorInvalidConfiguration;
  use_symbols<<<0, 1>>>(out);
  good &= cudaPeekAtLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaErrorInvalidConfiguration;
  use_symbols<<<1, dim3(1, 1, 65)>>>(out);
  good &= cudaGetLastError() == cudaErrorInvalidConfiguration;
  use_symbols<<<1, 1, 48 * 1024 + 1>>>(out);
  good &= cudaGetLastError() == cudaErrorInvalidValue && out[0] == -1;
  good &= cudaFuncSetAttribute(use_symbols, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024) ==
          cudaErrorInvalidValue;
  cudaGetLastError();
  good &= cudaFuncSetAttribute(use_symbols, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024) == cudaSuccess;
  use_symbols<<<1, 1, 227 * 1024>>>(out);
  good &= cudaGetLastError() == cudaSuccess && out[0] == 3;
  check("launch errors", good);
}

static void run_checks() {
  test_indices();
  test_launch_pointer();
  test_any_group();
  test_barriers();
  test_warps();
  test_groups();
  test_atomics();
  test_shared();
  test_launches();
  test_api();
  printf("%d failures\n", failures);
}
int main() {
  run_checks();
  return failures;
}
