// Smooths twice through a buffer that is allocated and freed in each call.
#include <cuda_runtime.h>
__global__ void smooth(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.25f * x[i ? i - 1 : 0] + 0.5f * x[i] + 0.25f * x[i + 1 < n ? i + 1 : i];
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  float* between;
  cudaMalloc((void**)&between, n * sizeof(float));
  smooth<<<(n + 255) / 256, 256, 0, stream>>>(x, between, n);
  smooth<<<(n + 255) / 256, 256, 0, stream>>>(between, y, n);
  cudaStreamSynchronize(stream);
  cudaFree(between);
}
