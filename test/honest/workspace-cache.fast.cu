// Keeps the buffer across calls and lets it grow.
#include <cuda_runtime.h>
__global__ void smooth(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.25f * x[i ? i - 1 : 0] + 0.5f * x[i] + 0.25f * x[i + 1 < n ? i + 1 : i];
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  static float* between;
  static int capacity;
  if (capacity < n) {
    cudaFree(between);
    cudaMalloc((void**)&between, n * sizeof(float));
    capacity = n;
  }
  smooth<<<(n + 255) / 256, 256, 0, stream>>>(x, between, n);
  smooth<<<(n + 255) / 256, 256, 0, stream>>>(between, y, n);
}
