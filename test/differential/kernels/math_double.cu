// Functions of double.
// @output double 16384
// @agreement 4 ulp
#include "../input.h"

namespace math_double {
__global__ void kernel(const unsigned* in, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const double x = 20.0 * symmetric64(in[i], in[i + 1024]), u = symmetric64(in[i], in[i + 1024]), p = 3.0 + u;
  const double results[16] = {
      exp(x), log(p), sin(x), cos(x), tan(x), pow(p, x), cbrt(x), rsqrt(p), erf(u), atan(x), asin(u), sinh(u), tanh(x), log1p(u), exp2(x), hypot(x, p),
  };
  for (int k = 0; k < 16; ++k) out[i + k * n] = results[k];
}
static void run(const unsigned* in, double* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace math_double
