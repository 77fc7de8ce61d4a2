// Words by votes of whole warps.
#include <cuda_runtime.h>
__global__ void flags(const float* x, bool* above, unsigned int* words, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool is = i < n && x[i] > 0.5f;
  const unsigned int bits = __ballot_sync(0xffffffffu, is);
  if (i < n) above[i] = is;
  if (threadIdx.x % 32 == 0 && i < n) words[i / 32] = bits;
}
extern "C" void run(const float* x, bool* above, unsigned int* words, int n, cudaStream_t stream) {
  flags<<<(n + 127) / 128, 128, 0, stream>>>(x, above, words, n);
}
