// Blocks and grids of three dimensions with edges that do not divide.
// @output unsigned int 9240
// @agreement exact
#include "../input.h"

namespace grid_3d {
constexpr int nx = 33, ny = 20, nz = 14;
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  const unsigned lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u;
  const unsigned warp = __shfl_sync(~0u, lane * 1000 + threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x, 31 - lane);
  if (x >= nx || y >= ny || z >= nz) return;
  unsigned sum = warp;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int a = (x + dx + nx) % nx, b = (y + dy + ny) % ny, c = (z + dz + nz) % nz;
        sum = sum * 3 + in[(c * ny + b) * nx + a] % 7u;
      }
  out[(z * ny + y) * nx + x] = sum + gridDim.x * 10000 + gridDim.y * 1000 + gridDim.z * 100;
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  const dim3 block(8, 4, 4), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 3) / 4);
  kernel<<<grid, block, 0, stream>>>(in, out);
}
}  // namespace grid_3d
