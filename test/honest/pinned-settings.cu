// Coefficients as kernel arguments.
#include <cuda_runtime.h>
__global__ void polynomial(const float* x, float* y, float a, float b, float c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (a * x[i] + b) * x[i] + c;
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  polynomial<<<(n + 127) / 128, 128, 0, stream>>>(x, y, 0.5f, -1.f, 0.25f * (n % 7), n);
}
