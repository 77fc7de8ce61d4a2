// y = a*x + 1: the original of the fault corpus.
#include <cuda_runtime.h>
#define BLOCK 256
__global__ void affine_kernel(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + 1.f;
}
extern "C" void affine(const float* x, float* y, float a, int n, cudaStream_t stream) {
  affine_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, a, n);
}
