// Running sums, one thread per row.
#include <cuda_runtime.h>
__global__ void scan(const int* x, int* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int sum = 0;
  for (int c = 0; c < 256; ++c) y[row * 256 + c] = sum += x[row * 256 + c];
}
extern "C" void run(const int* x, int* y, int rows, cudaStream_t stream) { scan<<<(rows + 31) / 32, 32, 0, stream>>>(x, y, rows); }
