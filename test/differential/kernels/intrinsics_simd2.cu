// SIMD within a word: pairs of 16-bit integers.
// @output unsigned int 41984
// @agreement exact
#include "../input.h"

namespace intrinsics_simd2 {
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  unsigned a = in[i], b = in[i + 1024];
  const unsigned c = in[i + 2048];
  if (i % 8 == 0) b = a ^ 0x00ff8000u;  // some parts equal, some at the edges
  if (i % 8 == 1) a = 0x80007f80u, b &= 0x80ff7fffu;
  out[i + 0 * n] = unsigned(__vabs2(a));
  out[i + 1 * n] = unsigned(__vabsss2(a));
  out[i + 2 * n] = unsigned(__vneg2(a));
  out[i + 3 * n] = unsigned(__vnegss2(a));
  out[i + 4 * n] = unsigned(__vadd2(a, b));
  out[i + 5 * n] = unsigned(__vaddss2(a, b));
  out[i + 6 * n] = unsigned(__vaddus2(a, b));
  out[i + 7 * n] = unsigned(__vsub2(a, b));
  out[i + 8 * n] = unsigned(__vsubss2(a, b));
  out[i + 9 * n] = unsigned(__vsubus2(a, b));
  out[i + 10 * n] = unsigned(__vavgs2(a, b));
  out[i + 11 * n] = unsigned(__vavgu2(a, b));
  out[i + 12 * n] = unsigned(__vhaddu2(a, b));
  out[i + 13 * n] = unsigned(__vabsdiffs2(a, b));
  out[i + 14 * n] = unsigned(__vabsdiffu2(a, b));
  out[i + 15 * n] = unsigned(__vmaxs2(a, b));
  out[i + 16 * n] = unsigned(__vmaxu2(a, b));
  out[i + 17 * n] = unsigned(__vmins2(a, b));
  out[i + 18 * n] = unsigned(__vminu2(a, b));
  out[i + 19 * n] = unsigned(__vcmpeq2(a, b));
  out[i + 20 * n] = unsigned(__vcmpne2(a, b));
  out[i + 21 * n] = unsigned(__vcmpges2(a, b));
  out[i + 22 * n] = unsigned(__vcmpgeu2(a, b));
  out[i + 23 * n] = unsigned(__vcmpgts2(a, b));
  out[i + 24 * n] = unsigned(__vcmpgtu2(a, b));
  out[i + 25 * n] = unsigned(__vcmples2(a, b));
  out[i + 26 * n] = unsigned(__vcmpleu2(a, b));
  out[i + 27 * n] = unsigned(__vcmplts2(a, b));
  out[i + 28 * n] = unsigned(__vcmpltu2(a, b));
  out[i + 29 * n] = unsigned(__vseteq2(a, b));
  out[i + 30 * n] = unsigned(__vsetne2(a, b));
  out[i + 31 * n] = unsigned(__vsetges2(a, b));
  out[i + 32 * n] = unsigned(__vsetgeu2(a, b));
  out[i + 33 * n] = unsigned(__vsetgts2(a, b));
  out[i + 34 * n] = unsigned(__vsetgtu2(a, b));
  out[i + 35 * n] = unsigned(__vsetles2(a, b));
  out[i + 36 * n] = unsigned(__vsetleu2(a, b));
  out[i + 37 * n] = unsigned(__vsetlts2(a, b));
  out[i + 38 * n] = unsigned(__vsetltu2(a, b));
  out[i + 39 * n] = unsigned(__vsads2(a, b));
  out[i + 40 * n] = unsigned(__vsadu2(a, b));
  (void)c;
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace intrinsics_simd2
