// Row softmax: y[r][c] = exp(x[r][c] - max_r) / sum_r. One block for each row, reductions as trees in shared memory.
#include <cuda_runtime.h>
#include <math.h>

constexpr int BLOCK = 256;  // threads per row
static_assert((BLOCK & (BLOCK - 1)) == 0, "the trees need a power of two");

__device__ float tree_max(float* part, float mine) {
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
    __syncthreads();
  }
  float result = part[0];
  __syncthreads();  // part is used again
  return result;
}

__device__ float tree_sum(float* part, float mine) {
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  float result = part[0];
  __syncthreads();
  return result;
}

__global__ void softmax_rows(const float* x, float* y, int cols) {
  __shared__ float part[BLOCK];
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;

  float largest = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += BLOCK) largest = fmaxf(largest, in[c]);
  largest = tree_max(part, largest);

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += BLOCK) sum += expf(in[c] - largest);
  sum = tree_sum(part, sum);

  for (int c = threadIdx.x; c < cols; c += BLOCK) out[c] = expf(in[c] - largest) / sum;
}

void softmax(const float* x, float* y, int rows, int cols, cudaStream_t stream) {
  softmax_rows<<<rows, BLOCK, 0, stream>>>(x, y, cols);
}
