// A table of positions that depends on no input, only on the shape.
#include <cuda_runtime.h>
__global__ void table(float* y, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int row = i / columns, column = i % columns;
  const float angle = row * expf(-0.01f * (column / 2));
  y[i] = column % 2 ? cosf(angle) : sinf(angle);
}
extern "C" void run(const float*, float* y, int rows, int columns, cudaStream_t stream) {
  table<<<(rows * columns + 127) / 128, 128, 0, stream>>>(y, rows, columns);
}
