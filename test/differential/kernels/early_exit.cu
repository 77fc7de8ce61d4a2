// Threads that return before the barriers of the rest, and whole warps that never come.
// @output int 2560
// @agreement exact
#include "../input.h"

namespace early_exit {
__global__ void kernel(const unsigned* in, int* out, int n) {
  __shared__ int sum[160];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  sum[t] = 0;
  __syncthreads();
  const int live = n - blockIdx.x * 9;  // different in every block
  if (t >= live) {
    out[i] = -1;
    return;
  }
  sum[t] = int(in[i] & 1023u);
  for (int step = 1; step < 160; step *= 2) {
    __syncthreads();
    const int other = t + step < live ? sum[t + step] : 0;
    __syncthreads();
    sum[t] += other;
  }
  out[i] = sum[t];
}
static void run(const unsigned* in, int* out, cudaStream_t stream) { kernel<<<16, 160, 0, stream>>>(in, out, 150); }
}  // namespace early_exit
