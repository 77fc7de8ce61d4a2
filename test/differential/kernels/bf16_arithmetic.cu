// Arithmetic of bfloat16 and of pairs, saturating, fused and rectified, on any bits; a GPU divides by an approximate reciprocal.
// @output unsigned short 65536
// @agreement exact in samples
#include <cuda_bf16.h>

#include "../input.h"

namespace bf16_arithmetic {
__device__ unsigned short bits(__nv_bfloat16 h) { return __hisnan(h) ? 0x7fff : __bfloat16_as_ushort(h); }
__global__ void kernel(const unsigned* in, unsigned short* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned u = in[i], w = in[i + 2048];
  // Every fourth of one magnitude, so that roundings differ.
  const unsigned keep = i % 4 ? 0xffffu : 0x83ffu, set = i % 4 ? 0u : 0x3800u;
  const __nv_bfloat16 a = __ushort_as_bfloat16((unsigned short)(u & keep | set)), b = __ushort_as_bfloat16((unsigned short)(u >> 16 & keep | set)),
            c = __ushort_as_bfloat16((unsigned short)(w & keep | set)), d = __ushort_as_bfloat16((unsigned short)(w >> 16));
  const __nv_bfloat162 p = __halves2bfloat162(a, b), q = __halves2bfloat162(c, d), r = __halves2bfloat162(d, a);
  const __nv_bfloat16 results[16] = {
      __hadd(a, b), __hsub(a, b), __hmul(a, b), __hdiv(a, c), __hfma(a, b, c), __hadd_sat(a, b), __hsub_sat(a, b), __hmul_sat(a, b),
      __hfma_sat(a, b, c), __hfma_relu(a, b, c), __hneg(a), __habs(b), a + b * c, a / d - b, __hadd_rn(c, d), __hmul_rn(c, d),
  };
  for (int k = 0; k < 16; ++k) out[i + k * n] = bits(results[k]);
  const __nv_bfloat162 pairs[8] = {
      __hadd2(p, q), __hsub2(p, q), __hmul2(p, q), __h2div(p, q), __hfma2(p, q, r), __hfma2_relu(p, q, r), __hneg2(p), __hadd2_sat(p, q),
  };
  for (int k = 0; k < 8; ++k) {
    out[i + (16 + 2 * k) * n] = bits(__low2bfloat16(pairs[k]));
    out[i + (17 + 2 * k) * n] = bits(__high2bfloat16(pairs[k]));
  }
}
static void run(const unsigned* in, unsigned short* out, cudaStream_t stream) { kernel<<<16, 128, 0, stream>>>(in, out); }
}  // namespace bf16_arithmetic
