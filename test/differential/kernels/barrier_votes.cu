// __syncthreads_count, _and and _or, with a last warp that is not full.
// @output int 4000
// @agreement exact
#include "../input.h"

namespace barrier_votes {
__global__ void kernel(const unsigned* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  int total = __syncthreads_count(w & 1u);
  total = total * 4 + __syncthreads_count((w & 255u) < blockIdx.x);
  out[i] = total;
  out[i + n] = (__syncthreads_and((w & 0xff00u) != 0) != 0) | (__syncthreads_or((w >> 16 & 0x3ffu) == 1u) != 0) << 1;
}
static void run(const unsigned* in, int* out, cudaStream_t stream) { kernel<<<20, 100, 0, stream>>>(in, out); }
}  // namespace barrier_votes
