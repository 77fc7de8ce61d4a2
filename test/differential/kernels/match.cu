// __match_any_sync and __match_all_sync of 32 and 64 bits.
// @output unsigned int 8192
// @agreement exact
#include "../input.h"

namespace match {
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  out[i] = __match_any_sync(~0u, w & 7u);
  out[i + n] = __match_any_sync(~0u, (unsigned long long)(w & 3u) << 40);
  int all;
  const unsigned same = __match_all_sync(~0u, blockIdx.x % 3 == 0 ? 5 : int(w & 1u), &all);
  out[i + 2 * n] = same + unsigned(all);
  const unsigned chosen = __ballot_sync(~0u, w & 32u);
  out[i + 3 * n] = w & 32u ? __match_any_sync(chosen, double(w & 15u)) : 0u;
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<32, 64, 0, stream>>>(in, out); }
}  // namespace match
