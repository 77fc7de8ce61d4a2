// A five-point stencil on tiles with a halo, several steps back and forth between two buffers.
// @output float 16384
// @agreement rtol 2e-6 atol 2e-6
#include "../input.h"

namespace stencil_2d {
constexpr int n = 128, tile = 16;
__global__ void load(const unsigned* in, float* a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = symmetric(in[i]);
}
__global__ void step(const float* a, float* b) {
  __shared__ float s[tile + 2][tile + 2];
  const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  auto at = [&](int row, int column) {
    return row < 0 || column < 0 || row >= n || column >= n ? 0.0f : a[row * n + column];
  };
  s[ty][tx] = at(y, x);
  if (tx == 1) s[ty][0] = at(y, x - 1);
  if (tx == tile) s[ty][tile + 1] = at(y, x + 1);
  if (ty == 1) s[0][tx] = at(y - 1, x);
  if (ty == tile) s[tile + 1][tx] = at(y + 1, x);
  __syncthreads();
  b[y * n + x] = 0.5f * s[ty][tx] + 0.125f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}
static void run(const unsigned* in, float* out, cudaStream_t stream) {
  float* other;
  cudaMalloc(&other, n * n * sizeof(float));
  load<<<n * n / 256, 256, 0, stream>>>(in, out);
  const dim3 grid(n / tile, n / tile), block(tile, tile);
  for (int k = 0; k < 4; ++k) {
    step<<<grid, block, 0, stream>>>(out, other);
    step<<<grid, block, 0, stream>>>(other, out);
  }
  cudaStreamSynchronize(stream);
  cudaFree(other);
}
}  // namespace stencil_2d
