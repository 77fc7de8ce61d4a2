// Functions of float that IEEE arithmetic defines to the last bit, on any bits.
// @output unsigned int 20480
// @agreement exact
#include "../input.h"

namespace math_exact {
__global__ void kernel(const unsigned* in, unsigned int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const float a = any_float(in[i]), b = any_float(in[i + 1024]), c = any_float(in[i + 2048]);
  // Near enough to each other that remainders take few steps.
  const float p = any_float(in[i] & 0x83ffffffu | 0x40000000u), q = any_float(in[i + 1024] & 0x83ffffffu | 0x3c000000u);
  const float near = 512.0f * symmetric(in[i]);
  int exponent, quotient;
  const float results[20] = {
      sqrtf(fabsf(a)), fmaf(a, b, c), fmodf(p, q), remainderf(p, q), remquof(p, q, &quotient), floorf(near), ceilf(near),
      truncf(near), rintf(near), roundf(near), nearbyintf(near), fminf(a, b), fmaxf(a, b), copysignf(a, b), nextafterf(a, b),
      ldexpf(a, int(in[i + 3072] >> 24) - 128), frexpf(a, &exponent), fdimf(a, b), logbf(a), fabsf(a),
  };
  for (int k = 0; k < 20; ++k) {
    unsigned bits = float_bits(results[k]);
    if (k == 11 || k == 12) bits = results[k] == 0.0f ? 0u : bits;  // the sign of the lesser of two zeros is open
    if (k == 16) bits += isfinite(a) ? unsigned(exponent) * 3u : 0u;
    if (k == 4) bits += unsigned(quotient & 7);
    out[i + k * n] = bits;
  }
}
static void run(const unsigned* in, unsigned int* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace math_exact
