// Functions of half.
// @output half 16384
// @agreement 2 ulp
#include <cuda_fp16.h>

#include "../input.h"

namespace half_math {
__global__ void kernel(const unsigned* in, __half* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const __half x = __float2half(8.0f * symmetric(in[i])), p = __ushort_as_half((unsigned short)(in[i + 1024] & 0x7bffu));
  const __half results[14] = {
      hexp(x), hexp2(x), hexp10(hrcp(p) > p ? x : __hneg(__habs(x))), hlog(p), hlog2(p), hlog10(p), hsqrt(p), hrsqrt(p), hsin(x), hcos(x), htanh(x), hrcp(x), hfloor(x), hrint(x),
  };
  for (int k = 0; k < 14; ++k) out[i + k * n] = results[k];
  const __half2 pair = h2exp(__halves2half2(x, __hneg(x)));
  out[i + 14 * n] = __low2half(pair);
  out[i + 15 * n] = __high2half(h2ceil(pair));
}
static void run(const unsigned* in, __half* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace half_math
