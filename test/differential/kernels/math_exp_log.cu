// Exponentials and logarithms of float.
// @output float 9216
// @agreement 6 ulp
#include "../input.h"

namespace math_exp_log {
__global__ void kernel(const unsigned* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const float x = 32.0f * symmetric(in[i]), p = any_float(in[i + 1024] & 0x7f7fffffu), s = 0.5f * symmetric(in[i]);
  const float results[9] = {expf(x), exp2f(x), exp10f(x), expm1f(x), logf(p), log2f(p), log10f(p), log1pf(s), powf(fabsf(x), s * 8.0f)};
  for (int k = 0; k < 9; ++k) out[i + k * n] = results[k];
}
static void run(const unsigned* in, float* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace math_exp_log
