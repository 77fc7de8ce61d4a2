// __pipeline_memcpy_async and its relatives, with bytes filled with zeros.
// @output unsigned int 4096
// @agreement exact
#include <cuda_pipeline.h>

#include "../input.h"

namespace pipeline_primitives {
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ alignas(16) uint4 stage[2][64];
  const int t = threadIdx.x;
  const uint4* source = reinterpret_cast<const uint4*>(in) + blockIdx.x * 256;
  __pipeline_memcpy_async(&stage[0][t], &source[t], 16);
  __pipeline_commit();
  unsigned sum = 0;
  for (int k = 0; k < 4; ++k) {
    if (k < 3) __pipeline_memcpy_async(&stage[(k + 1) & 1][t], &source[(k + 1) * 64 + t], 16, t % 4 == 3 ? 8 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const uint4 v = stage[k & 1][63 - t];
    sum = sum * 3 + (v.x ^ v.y ^ v.z ^ v.w);
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<64, 64, 0, stream>>>(in, out); }
}  // namespace pipeline_primitives
