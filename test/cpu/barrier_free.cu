// Kernels whose threads never wait for each other: most of them become loops.
#include <cstdio>
#include <cstdlib>

static int failures = 0;
static void check(bool good, const char* what) {
  if (!good) ++failures;
  printf("%s %s\n", good ? "ok" : "FAILED", what);
}

__global__ void indices_1d(int n, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}
__global__ void indices_unsigned(unsigned n, unsigned char* out) {
  const unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n) return;
  out[i] = (unsigned char)i;
}
__global__ void indices_wide(size_t n, long long* out) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (long long)(i * 3);
}
__global__ void indices_3d(uint3 size, unsigned* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
                 z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= size.x || y >= size.y || z >= size.z) return;
  out[(z * size.y + y) * size.x + x] += (gridDim.x * 1000 + gridDim.y * 100 + gridDim.z * 10) + (z * size.y + y) * size.x + x;
}
__global__ void stride(int n, const float* in, float* out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * 2;
}
__global__ void backwards(int n, const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i] - int(threadIdx.x);
}
// Lets the compiler see nothing of who it is.
__device__ __attribute__((noinline)) int far_away(int k) { return int(threadIdx.x) * k + int(blockIdx.x) + int(blockDim.x); }
__global__ void through_function(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = far_away(7); }
__device__ int fibonacci(int n) { return n < 2 ? n + int(threadIdx.x) : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(8); }
__global__ void local_array(int n, const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a[8];
  for (int k = 0; k < 8; ++k) a[k] = in[(i + k) % n];
  int best = a[0];
  for (int k = 1; k < 8; ++k) best = a[k] > best ? a[k] : best;
  if (i < n) out[i] = best;
}
__global__ void with_holes(int n, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int third = i % 3;
  if (third != 0 && i != 7) return;
  out[i] += i;
}
__global__ void own_parameters(int n, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out += i;
  n -= i;
  *out = n;
}
template <class Index>
__global__ void stride_of(Index n, int by, int* out) {
  if (threadIdx.y == 1) return;
  const Index step = gridDim.x * blockDim.x;
  for (Index i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    if (out[i] == 2) continue;
    out[i] += by;
  }
}
__global__ void stride_overflow(int n, int* out) {
  for (int i = threadIdx.x; i < n; i = i + 0x50000000) atomicAdd(out, i > 1000 ? 100 : 1);
}
template <class T, int N>
__global__ void templated(T* out) {
  out[blockIdx.x * N + threadIdx.x] = T(threadIdx.x + N);
}
template <>
__global__ void templated<int, 3>(int* out);
extern "C" void __global__ __launch_bounds__(256) declared_first(int* out);
static __global__ void counts(unsigned* counter, unsigned* seen) {
  // Polls every so often: other threads of the block run meanwhile.
  for (int i = 0; i < 3000; ++i) atomicAdd(counter, 1u);
  seen[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}
__global__ void waits_for_last(int* flag, unsigned* seen) {
  // The first thread polls until the last one has run.
  if (threadIdx.x == blockDim.x - 1) atomicExch(&flag[blockIdx.x], 1);
  while (atomicAdd(&flag[blockIdx.x], 0) == 0) {
  }
  seen[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x + 1;
}
__global__ void far_blocks(unsigned* high, unsigned* negative, unsigned* wrapped) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 0x7ffffff0u) atomicAdd(high, 1u);
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s < 0) atomicAdd(negative, 1u);
  if (size_t(blockIdx.x) * blockDim.x + threadIdx.x != i) atomicAdd(wrapped, 1u);
}
__global__ void traps(int* out) {
  if (threadIdx.x == 13) __trap();
  out[threadIdx.x] = 1;
}

static void run_declared(int* out) { declared_first<<<2, 4>>>(out); }
extern "C" void __global__ __launch_bounds__(256) declared_first(int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = int(gridDim.x);
}
template <>
__global__ void templated<int, 3>(int* out) {
  out[threadIdx.x] = -3;
}

static void run_checks() {
  const int n = 10007;
  int *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  bool good = true;
  indices_1d<<<40, 256>>>(n, a);
  for (int i = 0; i < n; ++i) good &= a[i] == i;
  check(good && a[n] == -1, "int indices");

  unsigned char* bytes = reinterpret_cast<unsigned char*>(b);
  indices_unsigned<<<101, 100>>>(n, bytes);
  good = true;
  for (int i = 0; i < n; ++i) good &= bytes[i] == (i & 255);
  check(good && bytes[n] == 255, "unsigned indices into bytes");

  long long* wide = reinterpret_cast<long long*>(b);
  indices_wide<<<11, 1024>>>(n, wide);
  good = true;
  for (int i = 0; i < n; ++i) good &= wide[i] == 3ll * i;
  check(good, "size_t indices");

  unsigned* u = reinterpret_cast<unsigned*>(b);
  for (int i = 0; i < 19 * 7 * 5; ++i) u[i] = 1;
  indices_3d<<<dim3(3, 3, 2), dim3(8, 3, 4)>>>(uint3{19, 7, 5}, u);
  good = true;
  for (int i = 0; i < 19 * 7 * 5; ++i) good &= u[i] == unsigned(3321 + i);
  check(good, "three dimensions");

  float *f = reinterpret_cast<float*>(a), *g = reinterpret_cast<float*>(b);
  for (int i = 0; i < n; ++i) f[i] = float(i);
  stride<<<7, 96>>>(n, f, g);
  good = true;
  for (int i = 0; i < n; ++i) good &= g[i] == 2.0f * float(i);
  check(good, "a grid-stride loop");

  for (int i = 0; i < n; ++i) a[i] = 1;
  with_holes<<<101, 100>>>(n, a);
  own_parameters<<<40, 256>>>(n, b);
  good = true;
  for (int i = 0; i < n; ++i) good &= a[i] == (i % 3 == 0 || i == 7 ? 1 + i : 1) && b[i] == n - i;
  check(good, "conditions that leave holes, parameters that a thread changes");
  for (int i = 0; i < n; ++i) a[i] = i % 5 == 0 ? 2 : 0;
  stride_of<int><<<3, dim3(70, 2)>>>(n, 10, a);
  stride_of<unsigned><<<2, dim3(32, 3, 2)>>>(n, 100, a);
  stride_of<size_t><<<9, 1000>>>(n, 1000, a);
  good = a[n] == -1;
  for (int i = 0; i < n; ++i) good &= a[i] == (i % 5 == 0 ? 2 : 10 + 4 * 100 + 1000);
  check(good, "grid-stride loops of all types, in blocks of several rows");
  *b = 0;
  stride_overflow<<<1, 3>>>(0x7fffffff, b);
  check(*b == 3 * 101, "a loop that would overflow ends");

  indices_1d<<<40, 256>>>(n, a);
  backwards<<<40, 256>>>(n, a, b);
  good = true;
  for (int i = 0; i < n; ++i) good &= b[n - 1 - i] == i - i % 256;
  check(good, "backwards");
  backwards<<<1, 1000>>>(1000, a, a);  // in place: whoever comes later sees what others wrote; here all pairs are exchanged
  local_array<<<40, 256>>>(n, b, a);
  good = true;
  for (int i = 0; i < n; ++i) {
    int best = b[i];
    for (int k = 1; k < 8; ++k) best = b[(i + k) % n] > best ? b[(i + k) % n] : best;
    good &= a[i] == best;
  }
  check(good, "arrays of each thread");

  through_function<<<5, 33>>>(a);
  good = true;
  for (int i = 0; i < 5 * 33; ++i) good &= a[i] == i % 33 * 7 + i / 33 + 33;
  check(good, "functions that are not inlined know their thread");
  recursion<<<1, 5>>>(a);
  check(a[0] == 21 && a[4] == 21 + 4 * 34, "recursion");
  templated<double, 16><<<3, 16>>>(reinterpret_cast<double*>(a));
  check(reinterpret_cast<double*>(a)[47] == 31.0, "templates");
  templated<int, 3><<<1, 2>>>(a);
  run_declared(a + 2);
  check(a[1] == -3 && a[2] == 2 && a[9] == 2, "specialisations, and kernels that are declared before they are defined");
  int zero = 5;
  int* out = a;
  void* arguments[] = {&zero, &out};
  cudaLaunchKernel(indices_1d, dim3(1), dim3(8), arguments, 0, nullptr);
  check(a[4] == 4 && a[8] == 2, "by address");

  unsigned* counter = reinterpret_cast<unsigned*>(a);
  *counter = 0;
  counts<<<6, 40>>>(counter, u);
  good = *counter == 6u * 40 * 3000;
  for (int i = 0; i < 240; ++i) good &= u[i] == unsigned(i % 40);
  check(good, "atomics, and each thread stays itself while others run");
  for (int i = 0; i < 8; ++i) a[i] = 0;
  waits_for_last<<<8, 70>>>(a, u);
  good = true;
  for (int i = 0; i < 8 * 70; ++i) good &= u[i] == unsigned(i % 70 + 1);
  check(good, "threads that poll for others of their block");

  for (int i = 0; i < 3; ++i) u[i] = 0;
  far_blocks<<<(1u << 21) + 3, 1024>>>(u, u + 1, u + 2);
  check(u[0] == 16 + 3 * 1024 && u[1] == 3 * 1024 && u[2] == 0, "indices around 2^31");

  check(cudaGetLastError() == cudaSuccess, "no error");
  printf("%d failures\n", failures);
  fflush(stdout);
  traps<<<1, 32>>>(a);
}
