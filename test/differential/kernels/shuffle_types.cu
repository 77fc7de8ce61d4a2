// Shuffles of 64-bit and 16-bit types, of pairs, and of subnormals and NaNs.
// @output unsigned long long 4096
// @agreement exact
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../input.h"

namespace shuffle_types {
__global__ void kernel(const unsigned* in, unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned a = in[i], b = in[i + 4096];
  const int from = int(b >> 7 & 31u);
  const long long wide = (long long)((unsigned long long)a << 32 | b);
  out[i] = (unsigned long long)__shfl_sync(~0u, wide, from);
  double d;
  memcpy(&d, &wide, 8);
  d = __shfl_xor_sync(~0u, d, 5);
  memcpy(&out[i + n], &d, 8);
  float f;
  memcpy(&f, &a, 4);
  f = __shfl_down_sync(~0u, f, 3, 8);
  unsigned bits;
  memcpy(&bits, &f, 4);
  const __half2 h = __shfl_up_sync(~0u, __halves2half2(__ushort_as_half(a & 0xffffu), __ushort_as_half(a >> 16)), 7, 16);
  out[i + 2 * n] = (unsigned long long)bits << 32 | __half_as_ushort(__high2half(h)) << 16 | __half_as_ushort(__low2half(h));
  const __nv_bfloat16 s = __shfl_sync(~0u, __ushort_as_bfloat16(b & 0xffffu), from, 8);
  const __half t = __shfl_xor_sync(~0u, __ushort_as_half(b >> 16), 9);
  out[i + 3 * n] = (unsigned long long)__bfloat16_as_ushort(s) << 32 | __half_as_ushort(t);
}
static void run(const unsigned* in, unsigned long long* out, cudaStream_t stream) {
  kernel<<<8, 128, 0, stream>>>(in, out);
}
}  // namespace shuffle_types
