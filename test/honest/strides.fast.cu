// One block per row, no division.
#include <cuda_runtime.h>
__global__ void scale(const float* x, float* y, int columns) {
  const float* from = x + blockIdx.x * (columns + 5);
  float* to = y + blockIdx.x * (columns + 8);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) to[c] = 3.f * from[c];
}
extern "C" void run(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  scale<<<rows, 64, 0, stream>>>(x, y, columns);
}
