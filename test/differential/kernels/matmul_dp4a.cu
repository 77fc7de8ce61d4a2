// A product of matrices of signed bytes with __dp4a, and of mixed ones with __dp2a.
// @output int 8192
// @agreement exact
#include "../input.h"

namespace matmul_dp4a {
__global__ void kernel(const unsigned* in, int* out) {
  const int row = blockIdx.x, column = threadIdx.x;
  int sum = 0, low = 0;
  unsigned high = 0;
  for (int k = 0; k < 32; ++k) {
    const unsigned a = in[row * 32 + k], b = in[4096 + column * 32 + k];
    sum = __dp4a(int(a), int(b), sum);
    low = __dp2a_lo(int(a), int(b), low);
    high = __dp2a_hi(a, b, high);
  }
  out[row * 64 + column] = sum;
  out[4096 + row * 64 + column] = low ^ int(high);
}
static void run(const unsigned* in, int* out, cudaStream_t stream) { kernel<<<64, 64, 0, stream>>>(in, out); }
}  // namespace matmul_dp4a
