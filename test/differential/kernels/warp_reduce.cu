// __reduce_*_sync of whole warps and of lanes in branches.
// @output unsigned int 20480
// @agreement exact
#include "../input.h"

namespace warp_reduce {
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  out[i] = __reduce_add_sync(~0u, w);
  out[i + n] = unsigned(__reduce_add_sync(~0u, int(w) >> 3));
  out[i + 2 * n] = __reduce_min_sync(~0u, w);
  out[i + 3 * n] = unsigned(__reduce_min_sync(~0u, int(w)));
  out[i + 4 * n] = __reduce_max_sync(~0u, w);
  out[i + 5 * n] = unsigned(__reduce_max_sync(~0u, int(w)));
  out[i + 6 * n] = __reduce_and_sync(~0u, w | 0xfff0u);
  out[i + 7 * n] = __reduce_or_sync(~0u, w & 0x11110000u);
  out[i + 8 * n] = __reduce_xor_sync(~0u, w);
  const unsigned chosen = __ballot_sync(~0u, w & 1u);
  out[i + 9 * n] = w & 1u ? __reduce_add_sync(chosen, w) : __reduce_xor_sync(~chosen, w);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<16, 128, 0, stream>>>(in, out); }
}  // namespace warp_reduce
