// A sum whose last block, known by a counter and fences, adds what the others left.
// @output unsigned long long 2
// @agreement exact
#include "../input.h"

namespace last_block {
__device__ unsigned arrived = 0;
__device__ unsigned long long partial[64];

__global__ void kernel(const unsigned* in, unsigned long long* out) {
  __shared__ unsigned long long s[128];
  __shared__ bool last;
  const int t = threadIdx.x;
  unsigned long long sum = 0;
  for (int i = blockIdx.x * 128 + t; i < input_words; i += gridDim.x * 128) sum += in[i];
  s[t] = sum;
  for (int step = 64; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) s[t] += s[t + step];
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  s[t] = t < 64 ? *(volatile unsigned long long*)&partial[t] : 0ull;
  for (int step = 64; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) s[t] += s[t + step];
  }
  if (t == 0) {
    out[0] = s[0];
    out[1] = arrived;
  }
}
static void run(const unsigned* in, unsigned long long* out, cudaStream_t stream) {
  kernel<<<64, 128, 0, stream>>>(in, out);
}
}  // namespace last_block
