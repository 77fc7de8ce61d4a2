// Sums of rows of different lengths, one thread each.
#include <cuda_runtime.h>
__global__ void ragged(const float* x, const int* lengths, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.f;
  for (int c = 0; c < lengths[row]; ++c) sum += x[row * columns + c];
  y[row] = sum;
}
extern "C" void run(const float* x, const int* lengths, float* y, int rows, int columns, cudaStream_t stream) {
  ragged<<<(rows + 31) / 32, 32, 0, stream>>>(x, lengths, y, rows, columns);
}
