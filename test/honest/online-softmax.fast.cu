// Maximum and sum in one pass, kept together.
#include <cuda_runtime.h>
#include <math.h>
__global__ void softmax(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float most = -INFINITY, sum = 0.f;
  for (int c = 0; c < columns; ++c) {
    const float v = x[row * columns + c], next = fmaxf(most, v);
    sum = sum * expf(most - next) + expf(v - next);
    most = next;
  }
  const float scale = 1.f / sum;
  for (int c = 0; c < columns; ++c) y[row * columns + c] = expf(x[row * columns + c] - most) * scale;
}
extern "C" void run(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  softmax<<<(rows + 31) / 32, 32, 0, stream>>>(x, y, rows, columns);
}
