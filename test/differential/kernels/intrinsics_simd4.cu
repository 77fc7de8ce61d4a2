// SIMD within a word: four 8-bit integers.
// @output unsigned int 41984
// @agreement exact
#include "../input.h"

namespace intrinsics_simd4 {
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  unsigned a = in[i], b = in[i + 1024];
  const unsigned c = in[i + 2048];
  if (i % 8 == 0) b = a ^ 0x00ff8000u;  // some parts equal, some at the edges
  if (i % 8 == 1) a = 0x80007f80u, b &= 0x80ff7fffu;
  out[i + 0 * n] = unsigned(__vabs4(a));
  out[i + 1 * n] = unsigned(__vabsss4(a));
  out[i + 2 * n] = unsigned(__vneg4(a));
  out[i + 3 * n] = unsigned(__vnegss4(a));
  out[i + 4 * n] = unsigned(__vadd4(a, b));
  out[i + 5 * n] = unsigned(__vaddss4(a, b));
  out[i + 6 * n] = unsigned(__vaddus4(a, b));
  out[i + 7 * n] = unsigned(__vsub4(a, b));
  out[i + 8 * n] = unsigned(__vsubss4(a, b));
  out[i + 9 * n] = unsigned(__vsubus4(a, b));
  out[i + 10 * n] = unsigned(__vavgs4(a, b));
  out[i + 11 * n] = unsigned(__vavgu4(a, b));
  out[i + 12 * n] = unsigned(__vhaddu4(a, b));
  out[i + 13 * n] = unsigned(__vabsdiffs4(a, b));
  out[i + 14 * n] = unsigned(__vabsdiffu4(a, b));
  out[i + 15 * n] = unsigned(__vmaxs4(a, b));
  out[i + 16 * n] = unsigned(__vmaxu4(a, b));
  out[i + 17 * n] = unsigned(__vmins4(a, b));
  out[i + 18 * n] = unsigned(__vminu4(a, b));
  out[i + 19 * n] = unsigned(__vcmpeq4(a, b));
  out[i + 20 * n] = unsigned(__vcmpne4(a, b));
  out[i + 21 * n] = unsigned(__vcmpges4(a, b));
  out[i + 22 * n] = unsigned(__vcmpgeu4(a, b));
  out[i + 23 * n] = unsigned(__vcmpgts4(a, b));
  out[i + 24 * n] = unsigned(__vcmpgtu4(a, b));
  out[i + 25 * n] = unsigned(__vcmples4(a, b));
  out[i + 26 * n] = unsigned(__vcmpleu4(a, b));
  out[i + 27 * n] = unsigned(__vcmplts4(a, b));
  out[i + 28 * n] = unsigned(__vcmpltu4(a, b));
  out[i + 29 * n] = unsigned(__vseteq4(a, b));
  out[i + 30 * n] = unsigned(__vsetne4(a, b));
  out[i + 31 * n] = unsigned(__vsetges4(a, b));
  out[i + 32 * n] = unsigned(__vsetgeu4(a, b));
  out[i + 33 * n] = unsigned(__vsetgts4(a, b));
  out[i + 34 * n] = unsigned(__vsetgtu4(a, b));
  out[i + 35 * n] = unsigned(__vsetles4(a, b));
  out[i + 36 * n] = unsigned(__vsetleu4(a, b));
  out[i + 37 * n] = unsigned(__vsetlts4(a, b));
  out[i + 38 * n] = unsigned(__vsetltu4(a, b));
  out[i + 39 * n] = unsigned(__vsads4(a, b));
  out[i + 40 * n] = unsigned(__vsadu4(a, b));
  (void)c;
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace intrinsics_simd4
