// Asks the device and the occupancy functions for its configuration, as libraries do.
#include <cuda_runtime.h>
__global__ void work(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = sqrtf(fabsf(x[i]));
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  int device = 0, processors = 1, blocks = 1, grid = 0, block = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, work, 0, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work, block, 0);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, work);
  cudaFuncSetCacheConfig(work, cudaFuncCachePreferL1);
  if (block > attributes.maxThreadsPerBlock) block = attributes.maxThreadsPerBlock;
  const int needed = (n + block - 1) / block, most = processors * blocks;
  work<<<needed < most ? needed : most, block, 0, stream>>>(x, y, n);
}
