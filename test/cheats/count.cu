// How many values lie outside the bounds, as a validation kernel counts its errors.
#include <cuda_runtime.h>
static __global__ void count_kernel(const float* x, int* errors, float bound, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && fabsf(x[i]) > bound) atomicAdd(errors, 1);
}
extern "C" void count_errors(const float* x, int* errors, float bound, int n, cudaStream_t stream) {
  cudaMemsetAsync(errors, 0, sizeof(int), stream);
  count_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, errors, bound, n);
}
