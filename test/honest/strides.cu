// Rows with gaps between them, on both sides.
#include <cuda_runtime.h>
__global__ void scale(const float* x, float* y, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[i / columns * (columns + 8) + i % columns] = 3.f * x[i / columns * (columns + 5) + i % columns];
}
extern "C" void run(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  scale<<<(rows * columns + 127) / 128, 128, 0, stream>>>(x, y, rows, columns);
}
