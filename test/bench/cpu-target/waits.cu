// What waiting, and launching, costs: barriers and warp functions between next to no other work.
#include <cuda_runtime.h>

#include "cases.h"

__global__ void barriers(int n, float* out) {
  __shared__ float s[1024];
  s[threadIdx.x] = float(threadIdx.x);
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    sum += s[(threadIdx.x + i) % blockDim.x];
  }
  out[threadIdx.x] = sum;
}
__global__ void shuffles(int n, float* out) {
  float sum = float(threadIdx.x);
  for (int i = 0; i < n; ++i) sum += __shfl_xor_sync(0xffffffffu, sum, 1 << i % 5);
  out[threadIdx.x] = sum;
}
__global__ void warps(int n, float* out) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    __syncwarp();
    sum += float(i);
  }
  out[threadIdx.x] = sum;
}
__global__ void nothing(int n, float* out) {
  if (n > 0) out[threadIdx.x] = 0;
}

CASE(barriers_32) { barriers<<<wait_blocks, 32>>>(waits, b.y); }
CASE(barriers_256) { barriers<<<wait_blocks, 256>>>(waits, b.y); }
CASE(barriers_1024) { barriers<<<wait_blocks, 1024>>>(waits, b.y); }
CASE(shuffles_32) { shuffles<<<wait_blocks, 32>>>(waits, b.y); }
CASE(shuffles_1024) { shuffles<<<wait_blocks, 1024>>>(waits, b.y); }
CASE(warps_1024) { warps<<<wait_blocks, 1024>>>(waits, b.y); }
CASE(large) { barriers<<<4096, 1024>>>(32, b.y); }
CASE(nothing) { nothing<<<1, 32>>>(0, b.y); }
