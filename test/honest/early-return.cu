// Clears what is not active, and may have nothing to do beside that.
#include <cuda_runtime.h>
__global__ void part(const float* x, float* y, int active, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = i < active ? 2.f * x[i] : 0.f;
}
extern "C" void run(const float* x, float* y, int active, int n, cudaStream_t stream) {
  part<<<(n + 127) / 128, 128, 0, stream>>>(x, y, active, n);
}
