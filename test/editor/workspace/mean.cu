// y = x, found the long way round: the mean of ROUNDS equal numbers.
#include <cuda_runtime.h>

constexpr int ROUNDS = 256;

__global__ void mean_kernel(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int r = 0; r < ROUNDS; ++r) sum += x[i];
  y[i] = sum / ROUNDS;
}

void mean(const float *x, float *y, int n) {
  mean_kernel<<<(n + 127) / 128, 128>>>(x, y, n);
}
