// The fast variants, within the error that CUDA documents for them.
// @output float 12288
// @agreement rtol 2e-5 atol 3e-6
#include "../input.h"

namespace fast_math {
__global__ void kernel(const unsigned* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const float x = 3.0f * symmetric(in[i]), y = 0.5f + 8.0f * unit(in[i + 1024]), z = symmetric(in[i + 2048]);
  float s, c;
  __sincosf(x, &s, &c);
  const float results[12] = {__expf(x), __exp10f(x), __logf(y), __log2f(y), __log10f(y), __powf(y, z), __sinf(x), __cosf(x), __tanf(z), __fdividef(x, y), s + 2.0f * c, __saturatef(x) + __frsqrt_rn(y)};
  for (int k = 0; k < 12; ++k) out[i + k * n] = results[k];
}
static void run(const unsigned* in, float* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace fast_math
