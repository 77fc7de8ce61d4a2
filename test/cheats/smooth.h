// The honest work behind most cheats of this folder: a circular window of weighted values.
#pragma once
#include <cuda_runtime.h>

#define TAPS 64

static __global__ void smooth_kernel(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.f;
  for (int k = 0; k < TAPS; ++k) sum += x[(i + k) % n] * (1.f + a * k);
  y[i] = sum;
}

static inline void honest(const float* x, float* y, float a, int n, cudaStream_t stream) {
  smooth_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, n);
}

// The same by the host, where its pointers reach the values.
static inline void smooth_on_host(const float* x, float* y, float a, int n, int from, int to) {
  for (int i = from; i < to; ++i) {
    float sum = 0.f;
    for (int k = 0; k < TAPS; ++k) sum += x[i + k < n ? i + k : (i + k) % n] * (1.f + a * k);
    y[i] = sum;
  }
}
