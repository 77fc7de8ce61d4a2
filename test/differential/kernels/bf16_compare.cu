// Comparisons, extremes and masks of bfloat16 and of pairs, with NaNs and zeros of both signs.
// @output unsigned int 16384
// @agreement exact
#include <cuda_bf16.h>

#include "../input.h"

namespace bf16_compare {
__device__ unsigned bits(__nv_bfloat16 h) { return __hisnan(h) ? 0x7fffu : __bfloat16_as_ushort(h); }
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned u = in[i], w = in[i + 2048];
  const unsigned short special[8] = {0x0000, 0x8000, 0x7fff, 0xffff, 0x7c00, 0xff80, 0x0001, 0x3f80};
  const __nv_bfloat16 a = __ushort_as_bfloat16(i % 3 ? (unsigned short)u : special[u & 7u]), b = __ushort_as_bfloat16(i % 5 ? (unsigned short)(u >> 16) : special[u >> 3 & 7u]),
            c = __ushort_as_bfloat16((unsigned short)w), d = i % 4 ? __ushort_as_bfloat16((unsigned short)(w >> 16)) : c;
  const __nv_bfloat162 p = __halves2bfloat162(a, c), q = __halves2bfloat162(b, d);
  out[i] = __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 | __hgt(a, b) << 4 | __hge(a, b) << 5 | __hequ(a, b) << 6 |
           __hneu(a, b) << 7 | __hltu(a, b) << 8 | __hleu(a, b) << 9 | __hgtu(a, b) << 10 | __hgeu(a, b) << 11 | unsigned(__hisinf(a) & 3) << 12;
  out[i + n] = __hbeq2(p, q) | __hbne2(p, q) << 1 | __hblt2(p, q) << 2 | __hble2(p, q) << 3 | __hbgt2(p, q) << 4 | __hbge2(p, q) << 5 |
               __hbequ2(p, q) << 6 | __hbneu2(p, q) << 7 | __hbltu2(p, q) << 8 | (a == b) << 9 | (c < d) << 10 | (p != q) << 11;
  out[i + 2 * n] = __heq2_mask(p, q) ^ __hlt2_mask(p, q) >> 1 ^ __hgeu2_mask(p, q) >> 2;
  const __nv_bfloat162 flags = __hge2(p, q);
  out[i + 3 * n] = bits(__low2bfloat16(flags)) << 16 | bits(__high2bfloat16(flags));
  out[i + 4 * n] = bits(__hmax(c, d)) << 16 | bits(__hmin(c, d));
  out[i + 5 * n] = bits(__hmax_nan(a, b)) << 16 | bits(__hmin_nan(a, d));
  const __nv_bfloat162 most = __hmax2(p, q), isnan = __hisnan2(p);
  // Of two zeros either may come out.
  out[i + 6 * n] = (__heq(a, b) ? 0u : bits(__low2bfloat16(most))) << 16 | bits(__high2bfloat16(most));
  out[i + 7 * n] = bits(__low2bfloat16(isnan)) << 16 | bits(__high2bfloat16(isnan));
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<16, 128, 0, stream>>>(in, out); }
}  // namespace bf16_compare
