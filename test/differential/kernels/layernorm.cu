// Layer normalisation of bfloat16 rows, sums in float.
// @output __nv_bfloat16 8192
// @agreement 1 ulp
#include <cuda_bf16.h>

#include "../input.h"

namespace layernorm {
__device__ float sum_of(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  return v;
}
__global__ void kernel(const unsigned* in, __nv_bfloat16* out) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  float x[4];
  for (int k = 0; k < 4; ++k) x[k] = __bfloat162float(__float2bfloat16(symmetric(in[row * 128 + k * 32 + threadIdx.x])));
  const float mean = sum_of(x[0] + x[1] + x[2] + x[3]) / 128.0f;
  float squares = 0;
  for (int k = 0; k < 4; ++k) squares += (x[k] - mean) * (x[k] - mean);
  const float scale = rsqrtf(sum_of(squares) / 128.0f + 1e-5f);
  for (int k = 0; k < 4; ++k) out[row * 128 + k * 32 + threadIdx.x] = __float2bfloat16((x[k] - mean) * scale);
}
static void run(const unsigned* in, __nv_bfloat16* out, cudaStream_t stream) {
  kernel<<<16, dim3(32, 4), 0, stream>>>(in, out);
}
}  // namespace layernorm
