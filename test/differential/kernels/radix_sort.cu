// Radix sort of whole words, one bit at a time, ranks by ballots.
// @output unsigned int 4096
// @agreement exact
#include "../input.h"

namespace radix_sort {
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned keys[256], zeros[8];
  const unsigned t = threadIdx.x, lane = t & 31u, warp = t >> 5;
  keys[t] = in[blockIdx.x * 256 + t];
  for (int bit = 0; bit < 32; ++bit) {
    __syncthreads();
    const unsigned key = keys[t];
    const bool one = key >> bit & 1u;
    const unsigned zero_lanes = __ballot_sync(~0u, !one);
    if (lane == 0) zeros[warp] = __popc(zero_lanes);
    __syncthreads();
    unsigned all = 0, before = 0;
    for (unsigned w = 0; w < 8; ++w) {
      if (w < warp) before += zeros[w];
      all += zeros[w];
    }
    before += __popc(zero_lanes & ((1u << lane) - 1u));
    keys[one ? all + t - before : before] = key;
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = keys[t];
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<16, 256, 0, stream>>>(in, out); }
}  // namespace radix_sort
