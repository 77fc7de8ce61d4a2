// Warps take rows from a queue in device memory that each call clears.
#include <cuda_runtime.h>
__device__ int next_row;
__global__ void ragged(const float* x, const int* lengths, float* y, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  for (;;) {
    int row = 0;
    if (lane == 0) row = atomicAdd(&next_row, 1);
    row = __shfl_sync(0xffffffffu, row, 0);
    if (row >= rows) return;
    float sum = 0.f;
    for (int c = lane; c < lengths[row]; c += 32) sum += x[row * columns + c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) y[row] = sum;
  }
}
extern "C" void run(const float* x, const int* lengths, float* y, int rows, int columns, cudaStream_t stream) {
  void* counter;
  cudaGetSymbolAddress(&counter, next_row);
  cudaMemsetAsync(counter, 0, sizeof(int), stream);
  ragged<<<4, 128, 0, stream>>>(x, lengths, y, rows, columns);
}
