// y = a * x + y over n elements.
#include <cuda_runtime.h>

constexpr int BLOCK = 64;

__global__ void saxpy_kernel(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
  }
}

__global__ void unused_kernel(float *y) {
  y[threadIdx.x] = 0.0f;
}

void saxpy(const float *x, float *y, float a, int n) {
  int blocks = (n + BLOCK - 1) / BLOCK;
  saxpy_kernel<<<blocks, BLOCK>>>(x, y, a, n);
}
