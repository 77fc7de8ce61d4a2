// The last warp alone, through a volatile pointer as older code has it, with the warp barriers that newer devices need.
#include <cuda_runtime.h>
__device__ void warp_sum(volatile float* s, int t) {
  for (int d = 32; d > 0; d /= 2) {
    const float other = s[t + d];
    __syncwarp();
    s[t] = s[t] + other;
    __syncwarp();
  }
}
__global__ void sums(const float* x, float* y) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) warp_sum(s, t);
  if (t == 0) y[blockIdx.x] = s[0];
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) { sums<<<n / 64, 64, 0, stream>>>(x, y); }
