// Sums, products, quotients, roots and fused products of double in all four roundings.
// @output unsigned long long 28672
// @agreement exact
#include "../input.h"

namespace rounding_double {
__global__ void kernel(const unsigned* in, unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned long long w = (unsigned long long)in[i] << 32 | in[i + 1024], v = (unsigned long long)in[i + 2048] << 32 | in[i + 3072];
  double a = __longlong_as_double((long long)w), b = __longlong_as_double((long long)v);
  if (i % 2) {
    a = __longlong_as_double((long long)(w & 0x801fffffffffffffull | 0x3fe0000000000000ull));
    b = __longlong_as_double((long long)(v & 0x801fffffffffffffull | 0x3fe0000000000000ull));
  }
  const double c = __longlong_as_double((long long)(w * 5 & 0x80ffffffffffffffull | 0x3f00000000000000ull));
  const double results[28] = {
      __dadd_rn(a, b), __dadd_rz(a, b), __dadd_ru(a, b), __dadd_rd(a, b), __dsub_rn(a, b), __dsub_rz(a, b), __dsub_ru(a, b),
      __dsub_rd(a, b), __dmul_rn(a, b), __dmul_rz(a, b), __dmul_ru(a, b), __dmul_rd(a, b), __ddiv_rn(a, b), __ddiv_rz(a, b),
      __ddiv_ru(a, b), __ddiv_rd(a, b), __fma_rn(a, b, c), __fma_rz(a, b, c), __fma_ru(a, b, c), __fma_rd(a, b, c),
      __dsqrt_rn(fabs(a)), __dsqrt_rz(fabs(a)), __dsqrt_ru(fabs(a)), __dsqrt_rd(fabs(a)), __drcp_rn(b), __drcp_rz(b), __drcp_ru(b), __drcp_rd(b),
  };
  for (int k = 0; k < 28; ++k) out[i + k * n] = double_bits(results[k]);
}
static void run(const unsigned* in, unsigned long long* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace rounding_double
