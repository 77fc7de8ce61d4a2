// Fused additions and extremes of three (DPX).
// @output unsigned int 12288
// @agreement exact
#include "../input.h"

namespace intrinsics_dpx {
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  unsigned a = in[i], b = in[i + 1024];
  const unsigned c = in[i + 2048];
  if (i % 8 == 0) b = a ^ 0x00ff8000u;  // some parts equal, some at the edges
  if (i % 8 == 1) a = 0x80007f80u, b &= 0x80ff7fffu;
  out[i + 0 * n] = unsigned(__viaddmax_s32(int(a), int(b), int(c)));
  out[i + 1 * n] = unsigned(__viaddmin_u32(a, b, c));
  out[i + 2 * n] = unsigned(__viaddmax_s16x2(a, b, c));
  out[i + 3 * n] = unsigned(__viaddmin_s16x2_relu(a, b, c));
  out[i + 4 * n] = unsigned(__vimax3_s32(int(a), int(b), int(c)));
  out[i + 5 * n] = unsigned(__vimin3_u32(a, b, c));
  out[i + 6 * n] = unsigned(__vimax3_s16x2(a, b, c));
  out[i + 7 * n] = unsigned(__vimin3_u16x2(a, b, c));
  out[i + 8 * n] = unsigned(__vimax_s32_relu(int(a), int(b)));
  out[i + 9 * n] = unsigned(__vimin_s16x2_relu(a, b));
  out[i + 10 * n] = unsigned(__viaddmax_u16x2(a, b, c));
  out[i + 11 * n] = unsigned(__vimax3_s32_relu(int(a), int(b), int(c)));
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace intrinsics_dpx
