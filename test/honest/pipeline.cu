// Normalises rows in three kernels that hand on means and spreads in workspaces.
#include <cuda_runtime.h>
__global__ void means(const float* x, float* mean, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.f;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  mean[row] = sum / columns;
}
__global__ void spreads(const float* x, const float* mean, float* spread, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.f;
  for (int c = 0; c < columns; ++c) {
    const float d = x[row * columns + c] - mean[row];
    sum += d * d;
  }
  spread[row] = rsqrtf(sum / columns + 1e-5f);
}
__global__ void normalise(const float* x, const float* mean, const float* spread, float* y, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[i] = (x[i] - mean[i / columns]) * spread[i / columns];
}
extern "C" void run(const float* x, float* y, float* mean, float* spread, int rows, int columns, cudaStream_t stream) {
  means<<<(rows + 31) / 32, 32, 0, stream>>>(x, mean, rows, columns);
  spreads<<<(rows + 31) / 32, 32, 0, stream>>>(x, mean, spread, rows, columns);
  normalise<<<(rows * columns + 127) / 128, 128, 0, stream>>>(x, mean, spread, y, rows, columns);
}
