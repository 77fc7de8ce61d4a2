// Trigonometric functions of float, with arguments that need a long reduction.
// @output float 11264
// @agreement 5 ulp
#include "../input.h"

namespace math_trig {
__global__ void kernel(const unsigned* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const float x = 256.0f * symmetric(in[i]), large = any_float(in[i + 1024] & 0xc7ffffffu | 0x47000000u), u = symmetric(in[i]);
  float s, c;
  sincosf(x, &s, &c);
  const float results[11] = {sinf(x), cosf(x), tanf(x), sinf(large), cosf(large), s, c, asinf(u), acosf(u), atanf(x), atan2f(x, large * u)};
  for (int k = 0; k < 11; ++k) out[i + k * n] = results[k];
}
static void run(const unsigned* in, float* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace math_trig
