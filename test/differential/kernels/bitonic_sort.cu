// Bitonic sort of keys and values in dynamic shared memory.
// @output unsigned int 16384
// @agreement exact
#include "../input.h"

namespace bitonic_sort {
__global__ void kernel(const unsigned* in, unsigned* out) {
  extern __shared__ unsigned keys[];
  unsigned* values = keys + 1024;
  const unsigned t = threadIdx.x, base = blockIdx.x * 1024;
  for (unsigned k = t; k < 1024; k += blockDim.x) {
    keys[k] = in[base + k] >> 8 << 10 | k;  // distinct
    values[k] = base + k;
  }
  for (unsigned size = 2; size <= 1024; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (unsigned k = t; k < 512; k += blockDim.x) {
        const unsigned a = 2 * k - (k & (stride - 1)), b = a + stride;
        const bool up = (a & size) == 0;
        if (keys[a] > keys[b] == up) {
          const unsigned key = keys[a], value = values[a];
          keys[a] = keys[b];
          keys[b] = key;
          values[a] = values[b];
          values[b] = value;
        }
      }
    }
  __syncthreads();
  for (unsigned k = t; k < 1024; k += blockDim.x) {
    out[2 * (base + k)] = keys[k];
    out[2 * (base + k) + 1] = values[k];
  }
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  kernel<<<8, 256, 2 * 1024 * sizeof(unsigned), stream>>>(in, out);
}
}  // namespace bitonic_sort
