// Adds up in whatever order the atomics come, into a result that is cleared first.
#include <cuda_runtime.h>
__global__ void add_up(const float* x, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(out, x[i]);
}
extern "C" void run(const float* x, float* out, int n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_up<<<16, 256, 0, stream>>>(x, out, n);
}
