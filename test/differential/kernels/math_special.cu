// Roots, norms, error and gamma functions of float.
// @output float 15360
// @agreement 8 ulp
#include "../input.h"

namespace math_special {
__global__ void kernel(const unsigned* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const float x = 4.0f * symmetric(in[i]), p = any_float(in[i + 1024] & 0x7f7fffffu), y = 4.0f * symmetric(in[i + 2048]);
  const float positive = 0.125f + 16.0f * unit(in[i]);
  const float results[15] = {
      erff(x), erfcf(x), erfinvf(0.984375f * symmetric(in[i])), erfcxf(x), tgammaf(positive), lgammaf(3.0f + positive), cbrtf(p), rcbrtf(p),
      rsqrtf(p), hypotf(x, y), rhypotf(x, y), norm3df(x, y, 1.0f), rnorm3df(x, y, 1.0f), normcdff(x), norm4df(x, y, 2.0f, 1.0f),
  };
  for (int k = 0; k < 15; ++k) out[i + k * n] = results[k];
}
static void run(const unsigned* in, float* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace math_special
