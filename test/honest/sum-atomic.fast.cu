// Adds up within blocks by shuffles and across blocks by atomics.
#include <cuda_runtime.h>
__global__ void add_up(const float* x, float* out, int n) {
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
extern "C" void run(const float* x, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_up<<<16, 256, 0, stream>>>(x, out, n);
}
