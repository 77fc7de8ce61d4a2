// Kernels as public courses teach them, written anew, each against a plain loop on the host.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>

#include <algorithm>
#include <vector>

#include "courses.cuh"

#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void histogram(const unsigned char* data, unsigned int* bins, int n) {
  __shared__ unsigned int local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[data[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (local[b]) atomicAdd(&bins[b], local[b]);
}

// Hillis and Steele, with two buffers in dynamic shared memory.
__global__ void scan_block(const int* in, int* out, int* sums, int n) {
  extern __shared__ int temp[];
  int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid, from = 0, to = 1;
  temp[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    temp[to * blockDim.x + tid] =
        temp[from * blockDim.x + tid] + (tid >= offset ? temp[from * blockDim.x + tid - offset] : 0);
    from = to, to = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = temp[from * blockDim.x + tid];
  if (sums && tid == blockDim.x - 1) sums[blockIdx.x] = temp[from * blockDim.x + tid];
}
__global__ void add_offsets(int* data, const int* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) data[i] += sums[blockIdx.x - 1];
}
__global__ void scan_warps(const int* in, int* out, int n) {  // one block, warps then their totals
  __shared__ int totals[32];
  int i = threadIdx.x, lane = i & 31, v = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d <<= 1) {
    int before = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += before;
  }
  if (lane == 31) totals[i >> 5] = v;
  __syncthreads();
  if (i < 32) {
    int t = i < blockDim.x / 32 ? totals[i] : 0;
    for (int d = 1; d < 32; d <<= 1) {
      int before = __shfl_up_sync(0xffffffff, t, d);
      if (lane >= d) t += before;
    }
    totals[i] = t;
  }
  __syncthreads();
  if (i >= 32) v += totals[(i >> 5) - 1];
  if (i < n) out[i] = v;
}

__global__ void layernorm(float* __restrict__ out, const float* __restrict__ in, const float* gamma, const float* beta,
                          int C) {
  const float* x = in + blockIdx.x * C;
  float mean = 0, var = 0;
  for (int i = threadIdx.x; i < C; i += blockDim.x) mean += x[i];
  mean = block_reduce(mean, Sum<float>(), 0.f) / C;
  for (int i = threadIdx.x; i < C; i += blockDim.x) var += (x[i] - mean) * (x[i] - mean);
  var = block_reduce(var, Sum<float>(), 0.f) / C;
  const float scale = rsqrtf(var + 1e-5f);
  for (int i = threadIdx.x; i < C; i += blockDim.x)
    __stcs(out + blockIdx.x * C + i, (x[i] - mean) * scale * gamma[i] + beta[i]);
}

template <class T>
__global__ void gelu(T* out, const T* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = (float)__ldg(&in[i]);
  out[i] = (T)(0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))));
}
__global__ void gelu_vector(float4* out, const float4* in, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  float4 v = in[i];
  auto f = [](float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); };
  out[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}

struct __align__(8) MaxSum {
  float max, sum;
};
__device__ __forceinline__ MaxSum combine(MaxSum a, MaxSum b) {
  MaxSum big = a.max > b.max ? a : b, small = a.max > b.max ? b : a;
  return {big.max, big.sum + small.sum * __expf(small.max - big.max)};
}
__global__ void online_softmax(const float* in, float* out, int n, int cols) {  // one warp for each row
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  MaxSum ms = {-FLT_MAX, 0.0f};
  for (int c = lane; c < cols; c += 32) ms = combine(ms, {in[row * cols + c], 1.0f});
  for (int d = 16; d > 0; d /= 2) {
    MaxSum other = {__shfl_down_sync(~0u, ms.max, d), __shfl_down_sync(~0u, ms.sum, d)};
    ms = combine(ms, other);
  }
  ms.max = __shfl_sync(~0u, ms.max, 0);
  ms.sum = __shfl_sync(~0u, ms.sum, 0);
  for (int c = lane; c < cols; c += 32) out[row * cols + c] = __expf(in[row * cols + c] - ms.max) / ms.sum;
}

template <typename T, int TILE, bool BETA>
__global__ void __launch_bounds__(TILE* TILE) gemm(const T* A, const T* B, T* C, int M, int N, int K, float beta) {
  __shared__ T As[TILE][TILE], Bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float acc = 0;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    As[threadIdx.y][threadIdx.x] = row < M && t * TILE + threadIdx.x < K ? A[row * K + t * TILE + threadIdx.x] : T(0);
    Bs[threadIdx.y][threadIdx.x] = col < N && t * TILE + threadIdx.y < K ? B[(t * TILE + threadIdx.y) * N + col] : T(0);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < TILE; ++k) acc += float(As[threadIdx.y][k]) * float(Bs[k][threadIdx.x]);
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = T(BETA ? acc + beta * float(C[row * N + col]) : acc);
}

__constant__ float weights[7];
__global__ void stencil(const float* in, float* out, int n) {
  constexpr int R = 3;
  __shared__ float s[256 + 2 * R];
  int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + R;
  s[l] = g < n ? in[g] : 0.f;
  if (threadIdx.x < R) {
    s[l - R] = g >= R ? in[g - R] : 0.f;
    s[l + 256] = g + 256 < n ? in[g + 256] : 0.f;
  }
  __syncthreads();
  if (g >= n) return;
  float sum = 0;
  for (int o = -R; o <= R; ++o) sum += s[l + o] * weights[o + R];
  out[g] = sum;
}

__global__ void dot(const double* a, const double* b, double* result, int n) {
  double v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += a[i] * b[i];
  v = block_reduce(v, Sum<double>(), 0.0);
  if (threadIdx.x == 0) atomicAdd(result, v);
}

static int failures = 0;
static void check(const char* name, bool good) {
  printf("%s %s\n", name, good ? "ok" : "FAILED");
  failures += !good;
}
static bool close(double a, double b, double tolerance = 1e-5) { return fabs(a - b) <= tolerance * (1 + fabs(b)); }
template <class T>
T* device(const std::vector<T>& host) {
  T* p;
  CUDA_CHECK(cudaMalloc(&p, host.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <class T>
std::vector<T> host(const T* p, size_t n) {
  std::vector<T> v(n);
  CUDA_CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

int main() {
  unsigned state = 1;
  auto random = [&] { return float((state = state * 1664525u + 1013904223u) >> 8) / 8388608.f - 1.f; };
  const int W = 100, H = 70, N = 10007;
  std::vector<float> x(W * H), big(N);
  for (float& v : x) v = random();
  for (float& v : big) v = 3 * random();
  float *dx = device(x), *dy, *dbig = device(big), *dout;
  CUDA_CHECK(cudaMalloc(&dy, W * H * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void**)&dout, N * sizeof(float)));

  fill(dout, 2.5f, N);
  check("fill from a header", host(dout, N)[N - 1] == 2.5f);

  transpose<<<dim3(ceil_div(W, TILE_DIM), ceil_div(H, TILE_DIM)), dim3(TILE_DIM, BLOCK_ROWS)>>>(dy, dx, W, H);
  auto y = host(dy, W * H);
  bool good = true;
  for (int r = 0; r < H; ++r)
    for (int c = 0; c < W; ++c) good &= y[c * H + r] == x[r * W + c];
  check("transpose", good);

  std::vector<unsigned char> bytes(N);
  for (auto& b : bytes) b = (unsigned char)(random() * 40 + 100);
  std::vector<unsigned> bins(256, 0), want(256, 0);
  for (auto b : bytes) ++want[b];
  auto* dbytes = device(bytes);
  auto* dbins = device(bins);
  histogram<<<7, 128>>>(dbytes, dbins, N);
  check("histogram", host(dbins, 256) == want);

  std::vector<int> ints(1000), prefix(1000);
  for (int i = 0; i < 1000; ++i) prefix[i] = (ints[i] = i * 37 % 11 - 3) + (i ? prefix[i - 1] : 0);
  int *di = device(ints), *ds = device(ints), *sums = device(std::vector<int>(8));
  const int threads = 128, blocks = ceil_div(1000, threads);
  scan_block<<<blocks, threads, 2 * threads * sizeof(int)>>>(di, ds, sums, 1000);
  scan_block<<<1, blocks, 2 * blocks * sizeof(int)>>>(sums, sums, nullptr, blocks);
  add_offsets<<<blocks, threads>>>(ds, sums, 1000);
  check("Hillis-Steele scan", host(ds, 1000) == prefix);
  scan_warps<<<1, 1024>>>(di, ds, 1000);
  check("warp scan", host(ds, 1000) == prefix);

  std::vector<float> gamma(W), beta(W);
  for (int c = 0; c < W; ++c) gamma[c] = 1 + c * 0.01f, beta[c] = c;
  layernorm<<<H, 96>>>(dy, dx, device(gamma), device(beta), W);
  y = host(dy, W * H);
  good = true;
  for (int r = 0; r < H; ++r) {
    double mean = 0, var = 0;
    for (int c = 0; c < W; ++c) mean += x[r * W + c] / double(W);
    for (int c = 0; c < W; ++c) var += (x[r * W + c] - mean) * (x[r * W + c] - mean) / W;
    for (int c = 0; c < W; ++c)
      good &= close(y[r * W + c], (x[r * W + c] - mean) / sqrt(var + 1e-5) * gamma[c] + beta[c]);
  }
  check("layernorm", good);

  gelu<<<ceil_div(N, 256), 256>>>(dout, dbig, N);
  auto out = host(dout, N);
  good = true;
  for (int i = 0; i < N; ++i)
    good &= close(out[i], 0.5 * big[i] * (1 + tanh(0.7978845608 * (big[i] + 0.044715 * big[i] * big[i] * big[i]))));
  check("gelu", good);
  gelu_vector<<<ceil_div(N / 4, 64), 64>>>(reinterpret_cast<float4*>(dout), reinterpret_cast<const float4*>(dbig),
                                           N / 4);
  out = host(dout, N);
  good = true;
  for (int i = 0; i < N / 4 * 4; ++i) good &= close(out[i], 0.5 * big[i] * (1 + erf(big[i] / sqrt(2.0))));
  check("gelu with vectors", good);
  std::vector<__half> half(W);
  for (int i = 0; i < W; ++i) half[i] = __float2half(x[i]);
  __half* dhalf = device(half);
  gelu<__half><<<1, 128>>>(dhalf, dhalf, W);
  auto halves = host(dhalf, W);
  good = true;
  for (int i = 0; i < W; ++i) {
    const float f = __half2float(half[i]);
    good &= close(__half2float(halves[i]), 0.5 * f * (1 + tanh(0.7978845608 * (f + 0.044715 * f * f * f))), 1e-3);
  }
  check("gelu in half", good);

  online_softmax<<<ceil_div(H, 4), 128>>>(dx, dy, H, W);
  y = host(dy, W * H);
  good = true;
  for (int r = 0; r < H; ++r) {
    double sum = 0;
    for (int c = 0; c < W; ++c) sum += exp(double(x[r * W + c]));
    for (int c = 0; c < W; ++c) good &= close(y[r * W + c], exp(double(x[r * W + c])) / sum);
  }
  check("online softmax", good);

  const int M = 37, K = 53, P = 41;
  std::vector<float> a(M * K), b(K * P), c(M * P, 2.f);
  for (float& v : a) v = random();
  for (float& v : b) v = random();
  float *da = device(a), *db = device(b), *dc = device(c);
  gemm<float, 16, true><<<dim3((P + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(da, db, dc, M, P, K, 0.5f);
  auto product = host(dc, M * P);
  good = true;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < P; ++j) {
      double sum = 1;
      for (int k = 0; k < K; ++k) sum += double(a[i * K + k]) * b[k * P + j];
      good &= close(product[i * P + j], sum, 1e-4);
    }
  check("tiled gemm", good);

  float w[7] = {1, 2, 3, 4, 3, 2, 1};
  CUDA_CHECK(cudaMemcpyToSymbol(weights, w, sizeof(w)));
  stencil<<<ceil_div(N, 256), 256>>>(dbig, dout, N);
  out = host(dout, N);
  good = true;
  for (int i = 0; i < N; ++i) {
    float sum = 0;
    for (int o = -3; o <= 3; ++o) sum += (i + o >= 0 && i + o < N ? big[i + o] : 0.f) * w[o + 3];
    good &= close(out[i], sum);
  }
  check("stencil", good);

  std::vector<double> p(N), q(N), zero(1);
  double exact = 0;
  for (int i = 0; i < N; ++i) exact += (p[i] = i % 10) * (q[i] = i % 7);
  double* result = device(zero);
  dot<<<16, 160>>>(device(p), device(q), result, N);
  check("dot product", host(result, 1)[0] == exact);

  CUDA_CHECK(cudaDeviceSynchronize());
  printf("%d failures\n", failures);
  return failures;
}
