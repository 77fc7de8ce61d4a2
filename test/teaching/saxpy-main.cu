// A program as courses begin with: kernel and main, unified memory, a constant block.
#include <cstdio>
#define N (1 << 20)
#define THREADS 256

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  float *x, *y;
  cudaMallocManaged(&x, N * sizeof(float));
  cudaMallocManaged(&y, N * sizeof(float));
  for (int i = 0; i < N; i++) {
    x[i] = 1.0f;
    y[i] = 2.0f;
  }
  saxpy<<<(N + THREADS - 1) / THREADS, THREADS>>>(N, 2.0f, x, y);
  cudaDeviceSynchronize();
  printf("%f\n", y[0]);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
