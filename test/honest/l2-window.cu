// Gathers sixteen values for each result.
#include <cuda_runtime.h>
__global__ void gather(const float* x, const int* index, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.f;
  for (int k = 0; k < 16; ++k) sum += x[index[(i + k * 4097) % n]];
  y[i] = sum;
}
extern "C" void run(const float* x, const int* index, float* y, int n, cudaStream_t stream) {
  gather<<<(n + 255) / 256, 256, 0, stream>>>(x, index, y, n);
}
