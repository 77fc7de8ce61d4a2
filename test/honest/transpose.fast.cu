// A transposition through a padded tile of shared memory.
#include <cuda_runtime.h>
__global__ void transpose(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (r + k < rows && c < columns) tile[threadIdx.y + k][threadIdx.x] = x[(r + k) * columns + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (c < rows && r + k < columns) y[(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
}
extern "C" void run(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  transpose<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 8), 0, stream>>>(x, y, rows, columns);
}
