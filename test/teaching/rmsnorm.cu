// Root mean square normalisation in bfloat16, a block for each token, the sum through warps.
#include <algorithm>
#include <cuda_bf16.h>

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes >>= 1) value += __shfl_xor_sync(0xffffffffu, value, lanes);
  return value;
}

template <int MAX_WARPS = 32>
__global__ void rms_norm_kernel(__nv_bfloat16* y, const __nv_bfloat16* x, const __nv_bfloat16* w, float eps, int hidden) {
  __shared__ float warps[MAX_WARPS];
  x += size_t(blockIdx.x) * hidden;
  float sum = 0.f;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) sum += __bfloat162float(x[i]) * __bfloat162float(x[i]);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? warps[threadIdx.x % 32] : 0.f);
  const float scale = rsqrtf(sum / hidden + eps);
  for (int i = threadIdx.x; i < hidden; i += blockDim.x)
    y[size_t(blockIdx.x) * hidden + i] = __float2bfloat16(__bfloat162float(x[i]) * scale) * w[i];
}

namespace layers {
void rms_norm(__nv_bfloat16* y, const __nv_bfloat16* x, const __nv_bfloat16* w, float eps, int tokens, int hidden,
              cudaStream_t stream) {
  rms_norm_kernel<><<<tokens, std::min(1024, (hidden + 31) / 32 * 32), 0, stream>>>(y, x, w, eps, hidden);
}
}  // namespace layers
