// Takes the mean away, in two kernels.
#include <cuda_runtime.h>
__device__ float total;
__global__ void add_up(const float* x, int n) {
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
}
__global__ void take_away(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] - total / n;
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  void* at;
  cudaGetSymbolAddress(&at, total);
  cudaMemsetAsync(at, 0, sizeof(float), stream);
  add_up<<<16, 256, 0, stream>>>(x, n);
  take_away<<<16, 256, 0, stream>>>(x, y, n);
}
