// Attention in three kernels, the scores in memory of the host function's own.
#include <cmath>
__global__ void scores(const float* q, const float* k, float* s, int N, int d, float scale) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N || col >= N) return;
  const size_t head = blockIdx.z;
  float sum = 0;
  for (int i = 0; i < d; i++) sum += q[(head * N + row) * d + i] * k[(head * N + col) * d + i];
  s[(head * N + row) * N + col] = col <= row ? sum * scale : -INFINITY;
}

__global__ void softmax(float* s, int N) {
  float* row = s + (size_t)blockIdx.x * N;
  float top = -INFINITY, sum = 0;
  for (int i = 0; i < N; i++) top = fmaxf(top, row[i]);
  for (int i = 0; i < N; i++) sum += expf(row[i] - top);
  __syncthreads();
  for (int i = threadIdx.x; i < N; i += blockDim.x) row[i] = expf(row[i] - top) / sum;
}

__global__ void weigh(const float* p, const float* v, float* o, int N, int d) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N || col >= d) return;
  const size_t head = blockIdx.z;
  float sum = 0;
  for (int i = 0; i < N; i++) sum += p[(head * N + row) * N + i] * v[(head * N + i) * d + col];
  o[(head * N + row) * d + col] = sum;
}

void attention(const float* q, const float* k, const float* v, float* o, int B, int H, int N, int d) {
  float* s;
  cudaMalloc(&s, sizeof(float) * B * H * N * N);
  dim3 block(16, 16);
  scores<<<dim3((N + 15) / 16, (N + 15) / 16, B * H), block>>>(q, k, s, N, d, 1 / sqrtf((float)d));
  softmax<<<B * H * N, 32>>>(s, N);
  weigh<<<dim3((d + 15) / 16, (N + 15) / 16, B * H), block>>>(s, v, o, N, d);
  cudaDeviceSynchronize();
  cudaFree(s);
}
