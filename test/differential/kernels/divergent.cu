// Loops of different length and nested branches in a warp, which meets again at its functions.
// @output unsigned int 8192
// @agreement exact
#include "../input.h"

namespace divergent {
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  unsigned w = in[i], steps = 0;
  for (unsigned long long c = (w >> 12) + 1; c != 1; ++steps) c = c & 1 ? 3 * c + 1 : c / 2;
  __syncwarp();
  steps += __shfl_xor_sync(~0u, steps, 1);
  switch (w & 7u) {
    case 0: steps *= 2; break;
    case 1: steps += 5;  // falls through
    case 2:
      for (unsigned k = 0; k < (w >> 3 & 15u); ++k) {
        if (k * k == (w >> 7 & 63u)) continue;
        if (steps > 5000) goto done;
        steps += k * steps;
      }
      break;
    default: steps ^= w & 0xffu;
  }
done:
  out[i] = steps;
  unsigned turns = 0;
  for (bool busy = true; __any_sync(~0u, busy);) {
    busy = busy && (w = w * 1664525u + 1013904223u) >> 28 != 0;
    ++turns;
  }
  out[i + n] = turns * 1000 + (w >> 24);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<32, 128, 0, stream>>>(in, out); }
}  // namespace divergent
