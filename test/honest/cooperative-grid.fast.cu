// Takes the mean away in one cooperative launch with a barrier over the grid.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
__device__ float total;
__global__ void both(const float* x, float* y, int n) {
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
  cooperative_groups::this_grid().sync();
  const float mean = *(volatile float*)&total / n;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] - mean;
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  void* at;
  cudaGetSymbolAddress(&at, total);
  cudaMemsetAsync(at, 0, sizeof(float), stream);
  void* arguments[] = {&x, &y, &n};
  cudaLaunchCooperativeKernel((const void*)both, dim3(16), dim3(256), arguments, 0, stream);
}
