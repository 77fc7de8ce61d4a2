// Histograms in shared memory, added to one in global memory.
// @output unsigned int 512
// @agreement exact
#include "../input.h"

namespace histogram_shared {
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned counts[512];
  for (int b = threadIdx.x; b < 512; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < input_words; i += gridDim.x * blockDim.x) {
    const uchar4 c = reinterpret_cast<const uchar4*>(in)[i];
    atomicAdd(&counts[c.x], 1u);
    atomicAdd(&counts[256 + ((c.y + c.z) & 255)], unsigned(c.w));
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 512; b += blockDim.x)
    if (counts[b]) atomicAdd(&out[b], counts[b]);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, 512 * sizeof(unsigned), stream);
  kernel<<<24, 192, 0, stream>>>(in, out);
}
}  // namespace histogram_shared
