// Shuffles of every kind, width and edge.
// @output unsigned int 16384
// @agreement exact
#include "../input.h"

namespace shuffle_edges {
__global__ void kernel(const unsigned* in, unsigned* out) {
  const unsigned lane = threadIdx.x, value = in[blockIdx.x * 32 + lane];
  unsigned* at = out + blockIdx.x * 512 + lane;
  int k = 0;
  for (int width = 2; width <= 32; width *= 4) {
    const int d = blockIdx.x;
    at[32 * k++] = __shfl_sync(~0u, value, d - 3, width);
    at[32 * k++] = __shfl_up_sync(~0u, value, d, width);
    at[32 * k++] = __shfl_down_sync(~0u, value, d, width);
    at[32 * k++] = __shfl_xor_sync(~0u, value, d, width);
    at[32 * k++] = __shfl_sync(~0u, value, int(lane) + d, width);
  }
  at[32 * k] = __shfl_xor_sync(~0u, value, int(value & 31u));
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<32, 32, 0, stream>>>(in, out); }
}  // namespace shuffle_edges
