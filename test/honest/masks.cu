// Flags, and the same flags packed into words.
#include <cuda_runtime.h>
__global__ void flags(const float* x, bool* above, unsigned int* words, int n) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (32 * w >= n) return;
  unsigned int bits = 0;
  for (int k = 0; k < 32 && 32 * w + k < n; ++k) {
    const bool is = x[32 * w + k] > 0.5f;
    above[32 * w + k] = is;
    bits |= (unsigned)is << k;
  }
  words[w] = bits;
}
extern "C" void run(const float* x, bool* above, unsigned int* words, int n, cudaStream_t stream) {
  flags<<<((n + 31) / 32 + 31) / 32, 32, 0, stream>>>(x, above, words, n);
}
