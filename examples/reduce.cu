// Sum of n floats in two steps: every block sums a strided part of the input, then one block sums the partial sums.
#include <cuda_runtime.h>

constexpr int BLOCK = 256;  // threads in a block
constexpr int GRID = 64;    // blocks in the first step
static_assert((BLOCK & (BLOCK - 1)) == 0, "the tree needs a power of two");

__global__ void sum_parts(const float* x, float* parts, int n) {
  __shared__ float part[BLOCK];
  float sum = 0.0f;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) parts[blockIdx.x] = part[0];
}

// parts holds at least GRID floats of scratch memory.
void reduce(const float* x, float* parts, float* total, int n, cudaStream_t stream) {
  sum_parts<<<GRID, BLOCK, 0, stream>>>(x, parts, n);
  sum_parts<<<1, BLOCK, 0, stream>>>(parts, total, GRID);
}
