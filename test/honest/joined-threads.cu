// Two launches from the calling thread.
#include <cuda_runtime.h>
__global__ void part(const float* x, float* y, int from, int to) {
  const int i = from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < to) y[i] = 1.f / (1.f + x[i] * x[i]);
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  part<<<(n / 2 + 127) / 128, 128, 0, stream>>>(x, y, 0, n / 2);
  part<<<(n - n / 2 + 127) / 128, 128, 0, stream>>>(x, y, n / 2, n);
}
