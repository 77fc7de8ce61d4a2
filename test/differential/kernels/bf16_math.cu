// Functions of bfloat16.
// @output __nv_bfloat16 16384
// @agreement 2 ulp
#include <cuda_bf16.h>

#include "../input.h"

namespace bf16_math {
__global__ void kernel(const unsigned* in, __nv_bfloat16* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const __nv_bfloat16 x = __float2bfloat16(8.0f * symmetric(in[i])), p = __ushort_as_bfloat16((unsigned short)(in[i + 1024] & 0x7bffu));
  const __nv_bfloat16 results[14] = {
      hexp(x), hexp2(x), hexp10(hrcp(p) > p ? x : __hneg(__habs(x))), hlog(p), hlog2(p), hlog10(p), hsqrt(p), hrsqrt(p), hsin(x), hcos(x), htanh(x), hrcp(x), hfloor(x), hrint(x),
  };
  for (int k = 0; k < 14; ++k) out[i + k * n] = results[k];
  const __nv_bfloat162 pair = h2exp(__halves2bfloat162(x, __hneg(x)));
  out[i + 14 * n] = __low2bfloat16(pair);
  out[i + 15 * n] = __high2bfloat16(h2ceil(pair));
}
static void run(const unsigned* in, __nv_bfloat16* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace bf16_math
