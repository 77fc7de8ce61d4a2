// Attention forward, o = softmax(q kᵀ / √dim) v for each head, as three kernels with the scores in memory between them.
// All matrices are row-major: q, k, v and o heads×rows×dim, scores heads×rows×rows; a batch is more heads.
#include <cuda_runtime.h>
#include <math.h>

constexpr int TILE = 16;    // threads of a block along rows and along columns, for both products
constexpr int BLOCK = 256;  // threads for a row of scores
static_assert((BLOCK & (BLOCK - 1)) == 0, "the trees need a power of two");

// scores[i][j] = q_i · k_j / √dim, one thread for each.
__global__ void attention_scores(const float* q, const float* k, float* scores, int rows, int dim) {
  int j = blockIdx.x * TILE + threadIdx.x;
  int i = blockIdx.y * TILE + threadIdx.y;
  if (i >= rows || j >= rows) return;
  const float* query = q + ((size_t)blockIdx.z * rows + i) * dim;
  const float* key = k + ((size_t)blockIdx.z * rows + j) * dim;
  float sum = 0.0f;
  for (int d = 0; d < dim; ++d) sum += query[d] * key[d];
  scores[((size_t)blockIdx.z * rows + i) * rows + j] = sum / sqrtf((float)dim);
}

// Each row of scores becomes its softmax, one block for each.
__global__ void attention_softmax(float* scores, int rows) {
  __shared__ float part[BLOCK];
  float* row = scores + (size_t)blockIdx.x * rows;

  float largest = -INFINITY;
  for (int j = threadIdx.x; j < rows; j += BLOCK) largest = fmaxf(largest, row[j]);
  part[threadIdx.x] = largest;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
    __syncthreads();
  }
  largest = part[0];
  __syncthreads();  // part is used again

  float sum = 0.0f;
  for (int j = threadIdx.x; j < rows; j += BLOCK) {
    row[j] = expf(row[j] - largest);
    sum += row[j];
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  sum = part[0];

  for (int j = threadIdx.x; j < rows; j += BLOCK) row[j] /= sum;
}

// o[i][d] = Σ scores[i][j] v[j][d], one thread for each.
__global__ void attention_values(const float* scores, const float* v, float* o, int rows, int dim) {
  int d = blockIdx.x * TILE + threadIdx.x;
  int i = blockIdx.y * TILE + threadIdx.y;
  if (i >= rows || d >= dim) return;
  const float* weights = scores + ((size_t)blockIdx.z * rows + i) * rows;
  const float* values = v + (size_t)blockIdx.z * rows * dim;
  float sum = 0.0f;
  for (int j = 0; j < rows; ++j) sum += weights[j] * values[(size_t)j * dim + d];
  o[((size_t)blockIdx.z * rows + i) * dim + d] = sum;
}

void attention(const float* q, const float* k, const float* v, float* scores, float* o, int heads, int rows, int dim,
               cudaStream_t stream) {
  dim3 block(TILE, TILE);
  int row_tiles = (rows + TILE - 1) / TILE;
  attention_scores<<<dim3(row_tiles, row_tiles, heads), block, 0, stream>>>(q, k, scores, rows, dim);
  attention_softmax<<<heads * rows, BLOCK, 0, stream>>>(scores, rows);
  dim3 grid((dim + TILE - 1) / TILE, row_tiles, heads);
  attention_values<<<grid, block, 0, stream>>>(scores, v, o, rows, dim);
}
