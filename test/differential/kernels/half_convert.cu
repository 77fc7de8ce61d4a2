// Conversions between half, float, double and integers in all roundings: every half and many floats.
// @output unsigned int 458752
// @agreement exact
#include <cuda_fp16.h>

#include "../input.h"

namespace half_convert {
__device__ unsigned bits(__half h) { return __hisnan(h) ? 0x7fffu : __half_as_ushort(h); }
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  // Near the range of the format, and half of them at a midpoint between two numbers of it or just beside one.
  unsigned u = i % 4 ? w & 0x8fffffffu | 0x38000000u : w;
  if (i % 2) u = u & 0xffffe000u | 0x1000u + (w >> 8) % 3 - 1;
  const float f = any_float(u), g = any_float(in[i + 16384]);
  const double d = i % 2 ? double(f) * (1.0 + 1e-12 * (int(w % 3) - 1)) : 70000.0 * symmetric64(w, in[i + 16384]);
  const int k = int(w) >> w % 29;
  const long long l = (long long)((unsigned long long)w << 32 | in[i + 16384]) >> w % 61;
  const __half narrow[16] = {
      __float2half_rn(f), __float2half_rz(f), __float2half_ru(f), __float2half_rd(f), __double2half(d), __int2half_rn(k), __int2half_rz(k), __int2half_ru(k), __int2half_rd(k), __uint2half_rn(w & 0x3ffffu), __ll2half_rn(l), __ull2half_rz((unsigned long long)w), __short2half_rn(short(w)), __ushort2half_rd((unsigned short)w), __low2half(__floats2half2_rn(f, g)), __high2half(__float22half2_rn(make_float2(f, g))),
  };
  for (int m = 0; m < 16; ++m) out[i + m * n] = bits(narrow[m]);
  for (int part = 0; part < 4; ++part) {
    const __half h = __ushort_as_half((unsigned short)(i * 4 + part));
    const unsigned wide[12] = {
        unsigned(__half2int_rn(h)), unsigned(__half2int_rz(h)), unsigned(__half2int_ru(h)), unsigned(__half2int_rd(h)), __half2uint_rn(h), __half2uint_rz(h), unsigned(__half2short_rn(h)), unsigned(__half2ushort_rz(h)), unsigned(__half2ll_ru(h)), unsigned(__half2ull_rd(h)), float_bits(__half2float(h)), float_bits(__low2float(__half2half2(h))),
    };
    for (int m = 0; m < 12; ++m) out[i + (16 + m) * n] = part == 0 ? wide[m] : out[i + (16 + m) * n] * 31u + wide[m];
  }
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<128, 128, 0, stream>>>(in, out); }
}  // namespace half_convert
