// GELU over four elements a thread.
#include <cuda_runtime.h>
#define GELU_SCALING_FACTOR sqrtf(2.0f / 3.14159265f)

__global__ void gelu_kernel(float4* out, const float4* inp, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) {
    float4 v = inp[i];
    v.x = 0.5f * v.x * (1.0f + tanhf(GELU_SCALING_FACTOR * (v.x + 0.044715f * v.x * v.x * v.x)));
    v.y = 0.5f * v.y * (1.0f + tanhf(GELU_SCALING_FACTOR * (v.y + 0.044715f * v.y * v.y * v.y)));
    v.z = 0.5f * v.z * (1.0f + tanhf(GELU_SCALING_FACTOR * (v.z + 0.044715f * v.z * v.z * v.z)));
    v.w = 0.5f * v.w * (1.0f + tanhf(GELU_SCALING_FACTOR * (v.w + 0.044715f * v.w * v.w * v.w)));
    out[i] = v;
  }
}

__global__ void gelu_plain(float* out, const float* inp, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = inp[i];
  out[i] = 0.5f * x * (1.0f + tanhf(GELU_SCALING_FACTOR * (x + 0.044715f * x * x * x)));
}

void gelu_forward(float* out, const float* inp, int N) {
  int block = 128;
  gelu_plain<<<(N + block - 1) / block, block>>>(out, inp, N);
}
