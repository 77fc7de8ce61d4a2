// The weights are copied to constant memory in each call.
#include <cuda_runtime.h>
__constant__ float weights[9];
__global__ void filter(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.f;
  for (int k = 0; k < 9; ++k) {
    const int at = i + k - 4;
    if (at >= 0 && at < n) sum += weights[k] * x[at];
  }
  y[i] = sum;
}
extern "C" void run(const float* x, const float* w, float* y, int n, cudaStream_t stream) {
  cudaMemcpyToSymbolAsync(weights, w, 9 * sizeof(float), 0, cudaMemcpyDeviceToDevice, stream);
  filter<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}
