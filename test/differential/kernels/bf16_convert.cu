// Conversions between bfloat16, float, double and integers in all roundings: every bfloat16 and many floats.
// @output unsigned int 458752
// @agreement exact
#include <cuda_bf16.h>

#include "../input.h"

namespace bf16_convert {
__device__ unsigned bits(__nv_bfloat16 h) { return __hisnan(h) ? 0x7fffu : __bfloat16_as_ushort(h); }
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  // Near the range of the format, and half of them at a midpoint between two numbers of it or just beside one.
  unsigned u = i % 4 ? w & 0x8fffffffu | 0x38000000u : w;
  if (i % 2) u = u & 0xffff0000u | 0x8000u + (w >> 8) % 3 - 1;
  const float f = any_float(u), g = any_float(in[i + 16384]);
  const double d = i % 2 ? double(f) * (1.0 + 1e-12 * (int(w % 3) - 1)) : 70000.0 * symmetric64(w, in[i + 16384]);
  const int k = int(w) >> w % 29;
  const long long l = (long long)((unsigned long long)w << 32 | in[i + 16384]) >> w % 61;
  const __nv_bfloat16 narrow[16] = {
      __float2bfloat16_rn(f), __float2bfloat16_rz(f), __float2bfloat16_ru(f), __float2bfloat16_rd(f), __double2bfloat16(d), __int2bfloat16_rn(k), __int2bfloat16_rz(k), __int2bfloat16_ru(k), __int2bfloat16_rd(k), __uint2bfloat16_rn(w & 0x3ffffu), __ll2bfloat16_rn(l), __ull2bfloat16_rz((unsigned long long)w), __short2bfloat16_rn(short(w)), __ushort2bfloat16_rd((unsigned short)w), __low2bfloat16(__floats2bfloat162_rn(f, g)), __high2bfloat16(__float22bfloat162_rn(make_float2(f, g))),
  };
  for (int m = 0; m < 16; ++m) out[i + m * n] = bits(narrow[m]);
  for (int part = 0; part < 4; ++part) {
    const __nv_bfloat16 h = __ushort_as_bfloat16((unsigned short)(i * 4 + part));
    const unsigned wide[12] = {
        unsigned(__bfloat162int_rn(h)), unsigned(__bfloat162int_rz(h)), unsigned(__bfloat162int_ru(h)), unsigned(__bfloat162int_rd(h)), __bfloat162uint_rn(h), __bfloat162uint_rz(h), unsigned(__bfloat162short_rn(h)), unsigned(__bfloat162ushort_rz(h)), unsigned(__bfloat162ll_ru(h)), unsigned(__bfloat162ull_rd(h)), float_bits(__bfloat162float(h)), float_bits(__low2float(__bfloat162bfloat162(h))),
    };
    for (int m = 0; m < 12; ++m) out[i + (16 + m) * n] = part == 0 ? wide[m] : out[i + (16 + m) * n] * 31u + wide[m];
  }
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<128, 128, 0, stream>>>(in, out); }
}  // namespace bf16_convert
