// A transposition, straight through global memory.
#include <cuda_runtime.h>
__global__ void transpose(const float* x, float* y, int rows, int columns) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (r + k < rows && c < columns) y[c * rows + r + k] = x[(r + k) * columns + c];
}
extern "C" void run(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  transpose<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 8), 0, stream>>>(x, y, rows, columns);
}
