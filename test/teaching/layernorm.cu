// Layer normalisation over the last axis, a warp for each row, with statistics kept for the backward pass.
#include "common.h"

__global__ void layernorm_kernel(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                 const float* __restrict__ inp, const float* __restrict__ weight,
                                 const float* __restrict__ bias, int N, int C) {
  int warps = blockDim.x / 32;
  int row = blockIdx.x * warps + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= N) return;
  const float* x = inp + row * C;
  float sum = 0.0f;
  for (int i = lane; i < C; i += 32) sum += x[i];
  sum = warp_sum(sum);
  float m = sum / C;
  if (lane == 0 && mean != nullptr) mean[row] = m;
  sum = 0.0f;
  for (int i = lane; i < C; i += 32) sum += (x[i] - m) * (x[i] - m);
  sum = warp_sum(sum);
  float s = rsqrtf(sum / C + 1e-5f);
  if (lane == 0 && rstd != nullptr) rstd[row] = s;
  float* o = out + row * C;
  for (int c = lane; c < C; c += 32) o[c] = s * (x[c] - m) * weight[c] + bias[c];
}

void layernorm_forward(float* out, float* mean, float* rstd, const float* inp, const float* weight, const float* bias,
                       int B, int T, int C, const int block_size) {
  const int N = B * T;
  const int grid_size = ceil_div(N * 32, block_size);
  layernorm_kernel<<<grid_size, block_size>>>(out, mean, rstd, inp, weight, bias, N, C);
  cudaCheck(cudaGetLastError());
}

int main(int argc, char** argv) { return 0; }
