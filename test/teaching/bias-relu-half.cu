// A bias added and negatives cut, eight halves in one access through an aligned struct.
#include <cstdint>
#include <cuda_fp16.h>
constexpr int WIDTH = 8;
struct alignas(16) Pack {
  __half v[WIDTH];
};

__global__ void __launch_bounds__(256) bias_relu(const __half* x, const __half* bias, __half* y, int64_t n, int cols) {
  const int64_t i = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * WIDTH;
  const __half zero = __float2half(0.f);
  if (i + WIDTH <= n) {
    Pack p = *reinterpret_cast<const Pack*>(x + i);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) p.v[k] = __hmax(__hadd(p.v[k], bias[(i + k) % cols]), zero);
    *reinterpret_cast<Pack*>(y + i) = p;
  } else {
    for (int64_t k = i; k < n; ++k) y[k] = __hmax(__hadd(x[k], bias[k % cols]), zero);
  }
}

extern "C" void run_bias_relu(const __half* x, const __half* bias, __half* y, int64_t n, int cols, cudaStream_t stream) {
  const int64_t packs = (n + WIDTH - 1) / WIDTH;
  bias_relu<<<unsigned((packs + 255) / 256), 256, 0, stream>>>(x, bias, y, n, cols);
}
