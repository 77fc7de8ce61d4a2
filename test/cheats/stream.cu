// y = a*x + 1 over an array that fits the L2: bound by how fast it is read.
#include <cuda_runtime.h>
static __global__ void scale_kernel(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + 1.f;
}
extern "C" void scale(const float* x, float* y, float a, int n, cudaStream_t stream) {
  scale_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, n);
}
