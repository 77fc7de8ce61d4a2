// Without the synchronisation, with read-only loads.
#include <cuda_runtime.h>
__global__ void work(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = __ldg(x + i);
  y[i] = fmaxf(v, 0.1f * v);
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  work<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}
