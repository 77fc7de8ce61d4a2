// Hyperbolic functions of float and their inverses, and multiples of pi.
// @output float 10240
// @agreement 5 ulp
#include "../input.h"

namespace math_hyperbolic {
__global__ void kernel(const unsigned* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const float x = 8.0f * symmetric(in[i]), u = symmetric(in[i + 1024]);
  float s, c;
  sincospif(x, &s, &c);
  const float results[10] = {sinhf(x), coshf(x), tanhf(x), asinhf(x), acoshf(1.0f + fabsf(x)), atanhf(u), sinpif(x), cospif(x), s, c};
  for (int k = 0; k < 10; ++k) out[i + k * n] = results[k];
}
static void run(const unsigned* in, float* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace math_hyperbolic
