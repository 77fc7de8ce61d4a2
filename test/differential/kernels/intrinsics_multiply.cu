// High products, 24-bit products, averages, absolute differences and dot products of bytes.
// @output unsigned int 20480
// @agreement exact
#include "../input.h"

namespace intrinsics_multiply {
__global__ void kernel(const unsigned* in, unsigned int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned a = in[i], b = in[i + 1024], c = in[i + 2048];
  const unsigned long long w = (unsigned long long)a << 32 | b, v = (unsigned long long)c << 32 | a;
  const long long high = __mul64hi((long long)w, (long long)v);
  const unsigned long long uhigh = __umul64hi(w, v);
  const unsigned results[20] = {
      unsigned(__mulhi(int(a), int(b))), __umulhi(a, b), unsigned(high), unsigned(high >> 32), unsigned(uhigh), unsigned(uhigh >> 32), unsigned(__mul24(int(a), int(b))),
      __umul24(a, b), __sad(int(a), int(b), c), __usad(a, b, c), unsigned(__hadd(int(a), int(b))), unsigned(__rhadd(int(a), int(b))), __uhadd(a, b), __urhadd(a, b),
      unsigned(__dp4a(int(a), int(b), int(c))), __dp4a(a, b, c), unsigned(__dp2a_lo(int(a), int(b), int(c))), unsigned(__dp2a_hi(int(a), int(b), int(c))), __dp2a_lo(a, b, c), __dp2a_hi(a, b, c),
  };
  for (int k = 0; k < 20; ++k) out[i + k * n] = results[k];
}
static void run(const unsigned* in, unsigned int* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace intrinsics_multiply
