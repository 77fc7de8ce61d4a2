// Times its own kernel by events and keeps the best, as programs with statistics of their own do.
#include <cuda_runtime.h>
__global__ void work(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * (1.f + x[i] * x[i]);
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  static float best = 1e30f;
  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  cudaEventRecord(from, stream);
  work<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
  cudaEventRecord(to, stream);
  cudaEventSynchronize(to);
  float took = 0.f;
  cudaEventElapsedTime(&took, from, to);
  best = took < best ? took : best;
  cudaEventDestroy(from);
  cudaEventDestroy(to);
}
