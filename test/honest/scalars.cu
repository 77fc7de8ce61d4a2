// Scalars of many types by value.
#include <cuda_runtime.h>
__global__ void mixed(const double* x, double* y, double a, float b, long long shift, bool flip, unsigned char mask, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (flip ? -1.0 : 1.0) * (a * x[i] + b) + (double)(shift / 1000000000) + (i & mask);
}
extern "C" void run(const double* x, double* y, double a, float b, long long shift, bool flip, unsigned char mask, int n,
                    cudaStream_t stream) {
  mixed<<<(n + 63) / 64, 64, 0, stream>>>(x, y, a, b, shift, flip, mask, n);
}
