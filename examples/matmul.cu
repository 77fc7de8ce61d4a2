// Matrix product C = A B for row-major float matrices, A m×k and B k×n, by square tiles in shared memory.
#include <cuda_runtime.h>

constexpr int TILE = 16;  // a block computes TILE×TILE elements of C, one for each thread

__global__ void matmul_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;

  float sum = 0.0f;
  for (int start = 0; start < k; start += TILE) {
    int ka = start + threadIdx.x;
    int kb = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[(size_t)row * k + ka] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] = kb < k && col < n ? b[(size_t)kb * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = sum;
}

void matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  dim3 block(TILE, TILE);
  dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  matmul_tiled<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
