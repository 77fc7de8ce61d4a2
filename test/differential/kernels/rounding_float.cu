// Sums, products, quotients, roots and fused products of float in all four roundings, on any bits.
// @output unsigned int 49152
// @agreement exact
#include "../input.h"

namespace rounding_float {
__global__ void kernel(const unsigned* in, unsigned int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i + 3072];
  float a = any_float(in[i]), b = any_float(in[i + 1024]), c = any_float(in[i + 2048]);
  if (i % 4 == 1) {  // of like size, so that the last bits matter
    a = any_float(in[i] & 0x80ffffffu | 0x3f000000u);
    b = any_float(in[i + 1024] & 0x80ffffffu | (w & 1u ? 0x3f000000u : 0x33000000u));
    c = any_float(in[i + 2048] & 0x81ffffffu | 0x3e000000u);
  } else if (i % 4 == 2) {  // results below the normal numbers
    a = any_float(in[i] & 0x80ffffffu | 0x1f000000u);
    b = any_float(in[i + 1024] & 0x80ffffffu | 0x20000000u);
    c = any_float(in[i + 2048] & 0x807fffffu);
  } else if (i % 4 == 3) {  // quotients below the normal numbers, results near the largest number
    a = any_float(in[i] & 0x80ffffffu | (w & 1u ? 0x00800000u : 0x7e800000u));
    b = any_float(in[i + 1024] & 0x80ffffffu | 0x3f000000u);
    c = any_float(in[i + 2048] & 0x80ffffffu | 0x7e000000u);
  }
  const float results[28] = {
      __fadd_rn(a, b), __fadd_rz(a, b), __fadd_ru(a, b), __fadd_rd(a, b), __fsub_rn(a, b), __fsub_rz(a, b), __fsub_ru(a, b),
      __fsub_rd(a, b), __fmul_rn(a, b), __fmul_rz(a, b), __fmul_ru(a, b), __fmul_rd(a, b), __fdiv_rn(a, b), __fdiv_rz(a, b),
      __fdiv_ru(a, b), __fdiv_rd(a, b), __fmaf_rn(a, b, c), __fmaf_rz(a, b, c), __fmaf_ru(a, b, c), __fmaf_rd(a, b, c),
      __fsqrt_rn(fabsf(a)), __fsqrt_rz(fabsf(a)), __fsqrt_ru(fabsf(a)), __fsqrt_rd(fabsf(a)), __frcp_rn(b), __frcp_rz(b),
      __frcp_ru(b), __frcp_rd(b),
  };
  for (int k = 0; k < 28; ++k) out[i + k * n] = float_bits(results[k]);
  const double d = double(a) * double(b), e = d + double(c);
  const float narrow[20] = {
      __double2float_rn(d), __double2float_rz(d), __double2float_ru(d), __double2float_rd(d),
      __int2float_rn(int(w)), __int2float_rz(int(w)), __int2float_ru(int(w)), __int2float_rd(int(w)),
      __uint2float_rn(w), __uint2float_rz(w), __uint2float_ru(w), __uint2float_rd(w),
      __ll2float_rn((long long)w * int(w)), __ll2float_rz((long long)w * int(w)), __ll2float_ru((long long)w * int(w)), __ll2float_rd((long long)w * int(w)),
      __ull2float_rn((unsigned long long)w * w), __ull2float_rz((unsigned long long)w * w), __ull2float_ru((unsigned long long)w * w), __double2float_rn(e),
  };
  for (int k = 0; k < 20; ++k) out[i + (28 + k) * n] = float_bits(narrow[k]);
}
static void run(const unsigned* in, unsigned int* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace rounding_float
