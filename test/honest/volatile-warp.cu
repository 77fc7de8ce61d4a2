// Sums of 64 by a tree with a barrier at every step.
#include <cuda_runtime.h>
__global__ void sums(const float* x, float* y) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  for (int d = 32; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) { sums<<<n / 64, 64, 0, stream>>>(x, y); }
