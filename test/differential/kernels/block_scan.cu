// Work-efficient prefix sums in shared memory, then over the blocks.
// @output int 32768
// @agreement exact
#include "../input.h"

namespace block_scan {
__global__ void scan(const unsigned* in, int* out, int* sums) {
  __shared__ int s[512];
  const int t = threadIdx.x, base = blockIdx.x * 512;
  s[2 * t] = int(in[base + 2 * t] >> 20);
  s[2 * t + 1] = int(in[base + 2 * t + 1] >> 20);
  int step = 1;
  for (int d = 256; d > 0; d /= 2, step *= 2) {
    __syncthreads();
    if (t < d) s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
  }
  if (t == 0) {
    sums[blockIdx.x] = s[511];
    s[511] = 0;
  }
  for (int d = 1; d < 512; d *= 2) {
    step /= 2;
    __syncthreads();
    if (t < d) {
      const int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, old = s[a];
      s[a] = s[b];
      s[b] += old;
    }
  }
  __syncthreads();
  out[base + 2 * t] = s[2 * t];
  out[base + 2 * t + 1] = s[2 * t + 1];
}
__global__ void add(int* out, const int* sums) {
  int before = 0;
  for (int b = 0; b < int(blockIdx.x); ++b) before += sums[b];
  for (int k = threadIdx.x; k < 512; k += blockDim.x) out[blockIdx.x * 512 + k] += before;
}
static void run(const unsigned* in, int* out, cudaStream_t stream) {
  int* sums;
  cudaMallocAsync(&sums, 64 * sizeof(int), stream);
  scan<<<64, 256, 0, stream>>>(in, out, sums);
  add<<<64, 128, 0, stream>>>(out, sums);
  cudaFreeAsync(sums, stream);
}
}  // namespace block_scan
