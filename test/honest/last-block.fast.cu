// A sum in one kernel: the block that finishes last adds up, through volatile memory and a ticket it puts back.
#include <cuda_runtime.h>
__device__ volatile float partial[32];
__device__ unsigned int ticket;
__global__ void sum_all(const float* x, float* out, int n) {
  __shared__ float own[128];
  __shared__ bool last;
  float sum = 0.f;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 32 * 128) sum += x[i];
  own[threadIdx.x] = sum;
  for (int d = 64; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) own[threadIdx.x] += own[threadIdx.x + d];
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = own[0];
    __threadfence();
    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  sum = 0.f;
  for (int b = 0; b < 32; ++b) sum += partial[b];
  *out = sum;
}
extern "C" void run(const float* x, float* out, int n, cudaStream_t stream) { sum_all<<<32, 128, 0, stream>>>(x, out, n); }
