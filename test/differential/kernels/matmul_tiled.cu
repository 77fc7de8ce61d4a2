// A tiled product of matrices, with edges.
// @output float 5940
// @agreement rtol 1e-5 atol 2e-5
#include "../input.h"

namespace matmul_tiled {
constexpr int m = 66, n = 90, k = 130, tile = 16;
__global__ void kernel(const unsigned* in, float* out) {
  __shared__ float a[tile][tile], b[tile][tile + 1];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < k; start += tile) {
    const int ac = start + threadIdx.x, br = start + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < m && ac < k ? symmetric(in[row * k + ac]) : 0.0f;
    b[threadIdx.y][threadIdx.x] = br < k && column < n ? symmetric(in[20000 + br * n + column]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) out[row * n + column] = sum;
}
static void run(const unsigned* in, float* out, cudaStream_t stream) {
  kernel<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), dim3(tile, tile), 0, stream>>>(in, out);
}
}  // namespace matmul_tiled
