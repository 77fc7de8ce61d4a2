// Clears by a memset, and returns before a launch that would have no blocks.
#include <cuda_runtime.h>
__global__ void part(const float* x, float* y, int active) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < active) y[i] = 2.f * x[i];
}
extern "C" void run(const float* x, float* y, int active, int n, cudaStream_t stream) {
  cudaMemsetAsync(y + active, 0, (n - active) * sizeof(float), stream);
  if (active <= 0) return;
  part<<<(active + 127) / 128, 128, 0, stream>>>(x, y, active);
}
