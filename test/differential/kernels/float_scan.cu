// Inclusive sums of floats within a warp: the order of the additions is fixed, so are the bits.
// @output float 8192
// @agreement exact
#include "../input.h"

namespace float_scan {
__global__ void kernel(const unsigned* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31;
  float v = any_float((in[i] & 0x80ffffffu) | 0x3f000000u);
  for (int d = 1; d < 32; d *= 2) {
    const float other = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += other;
  }
  out[i] = v;
}
static void run(const unsigned* in, float* out, cudaStream_t stream) { kernel<<<64, 128, 0, stream>>>(in, out); }
}  // namespace float_scan
