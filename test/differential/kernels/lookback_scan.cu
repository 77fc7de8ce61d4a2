// Prefix sums in one launch: each block waits for the sum of the one before it.
// @output unsigned int 32768
// @agreement exact
#include "../input.h"

namespace lookback_scan {
__device__ unsigned ticket;
__device__ unsigned long long state[128];

__global__ void reset() {
  state[threadIdx.x] = 0;
  if (threadIdx.x == 0) ticket = 0;
}
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned mine, before, s[256];
  const int t = threadIdx.x;
  if (t == 0) mine = atomicAdd(&ticket, 1u);
  __syncthreads();
  const unsigned b = mine;
  s[t] = in[b * 256 + t];
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    const unsigned other = t >= step ? s[t - step] : 0u;
    __syncthreads();
    s[t] += other;
  }
  __syncthreads();
  if (t == 0) {
    unsigned long long previous = 1ull << 32;
    if (b > 0) {
      volatile unsigned long long* flag = &state[b - 1];
      do {
        previous = *flag;
        __threadfence();
      } while (previous >> 32 == 0);
    }
    before = unsigned(previous);
    atomicExch(&state[b], 1ull << 32 | unsigned(before + s[255]));
  }
  __syncthreads();
  out[b * 256 + t] = before + s[t];
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  reset<<<1, 128, 0, stream>>>();
  kernel<<<128, 256, 0, stream>>>(in, out);
}
}  // namespace lookback_scan
