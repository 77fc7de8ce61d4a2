// The Mandelbrot set with products and sums that may not be fused.
// @output int 12288
// @agreement exact
#include "../input.h"

namespace mandelbrot {
__global__ void kernel(int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float cr = __fadd_rn(__fmul_rn(float(x), 0.0234375f), -2.0f), ci = __fadd_rn(__fmul_rn(float(y), 0.03125f), -1.5f);
  float r = 0, i = 0;
  int n = 0;
  while (n < 200 && __fadd_rn(__fmul_rn(r, r), __fmul_rn(i, i)) < 4.0f) {
    const float next = __fadd_rn(__fsub_rn(__fmul_rn(r, r), __fmul_rn(i, i)), cr);
    i = __fadd_rn(__fmul_rn(__fmul_rn(2.0f, r), i), ci);
    r = next;
    ++n;
  }
  out[y * width + x] = n;
}
static void run(const unsigned*, int* out, cudaStream_t stream) {
  kernel<<<dim3(128 / 16, 96 / 16), dim3(16, 16), 0, stream>>>(out, 128, 96);
}
}  // namespace mandelbrot
