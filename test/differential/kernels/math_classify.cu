// Classification, comparison and rounding to integers of float and double, on any bits.
// @output int 6144
// @agreement exact
#include "../input.h"

namespace math_classify {
__global__ void kernel(const unsigned* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const float a = any_float(in[i] << (in[i] & 1u) * 23), b = any_float(in[i + 1024]);
  const double d = double(b), e = 1e12 * symmetric64(in[i], in[i + 1024]);
  const bool near = fabsf(b) < 1e9f;
  out[i] = isnan(a) | isinf(a) << 1 | isfinite(a) << 2 | (signbit(a) != 0) << 3;
  out[i + n] = (a < b) | (a > b) << 1 | (a == b) << 2 | (a != b) << 3 | (a >= b) << 4 | !(a <= b) << 5;
  out[i + 2 * n] = near ? int(lrintf(b)) : 0;
  out[i + 3 * n] = near ? int(lroundf(b)) : 0;
  out[i + 4 * n] = int(llrint(e) >> 20) + int(llround(e) & 15);
  out[i + 5 * n] = isfinite(d) && d != 0 ? ilogb(d) + ilogbf(b) : -1;
}
static void run(const unsigned* in, int* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace math_classify
