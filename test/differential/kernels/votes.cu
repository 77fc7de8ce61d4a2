// Votes of whole warps, of halves of a warp and of lanes in divergent branches.
// @output unsigned int 12288
// @agreement exact
#include "../input.h"

namespace votes {
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned lane = threadIdx.x & 31u, w = in[i];
  out[i] = __ballot_sync(~0u, w & 1u);
  out[i + n] = __any_sync(~0u, (w & 31u) == 7u) | __all_sync(~0u, (w & 63u) != 5u) << 1;
  const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
  out[i + 2 * n] = __ballot_sync(half, w & 2u) ^ __any_sync(half, (w & 127u) == 3u);
  const unsigned odd = __ballot_sync(~0u, w & 4u);
  unsigned inside = 0;
  if (w & 4u) inside = __ballot_sync(odd, w & 8u) + __all_sync(odd, w & 16u);
  else inside = __ballot_sync(~odd, w & 16u) - __any_sync(~odd, (w & 96u) == 96u);
  out[i + 3 * n] = inside;
  unsigned left = ~0u, rounds = 0;
  for (unsigned k = w & 15u;; --k) {
    const unsigned stay = __ballot_sync(left, k > 0);
    rounds = rounds * 31 + __popc(stay);
    if (k == 0) break;
    left = stay;
  }
  out[i + 4 * n] = rounds;
  __syncwarp();
  out[i + 5 * n] = __popc(__ballot_sync(~0u, rounds & 1u));
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<16, 128, 0, stream>>>(in, out); }
}  // namespace votes
