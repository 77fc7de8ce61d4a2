// The kernel alone.
#include <cuda_runtime.h>
__global__ void work(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * (1.f + x[i] * x[i]);
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  work<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}
