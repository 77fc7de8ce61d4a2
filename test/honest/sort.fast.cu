// Sorts rows of 128 by a bitonic network in shared memory.
#include <cuda_runtime.h>
__global__ void bitonic(const int* x, int* y) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
  for (int size = 2; size <= 128; size *= 2)
    for (int d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      const int other = t ^ d;
      if (other > t && ((t & size) == 0) == (s[t] > s[other])) {
        const int swap = s[t];
        s[t] = s[other];
        s[other] = swap;
      }
    }
  __syncthreads();
  y[blockIdx.x * 128 + t] = s[t];
}
extern "C" void run(const int* x, int* y, int rows, cudaStream_t stream) { bitonic<<<rows, 128, 0, stream>>>(x, y); }
