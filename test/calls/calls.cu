// One file with every way a kernel is called: templates, namespaces, statics, structs by value, bare kernels, a main.
#include <cuda_runtime.h>
#include <stdio.h>
#include "include/traits.h"

namespace ops {
struct Shape { int rows, cols; };
namespace {
template <typename T, int Width>
__global__ void scale_rows(const T* x, T* y, Shape shape, float factor) {
  for (int c = threadIdx.x; c < shape.cols; c += Width)
    y[blockIdx.x * shape.cols + c] = from_float<T>(to_float(x[blockIdx.x * shape.cols + c]) * factor);
}
}  // namespace
template <typename T, int Width = 64>
static void scale(const T* x, T* y, Shape shape, float factor, cudaStream_t stream) {
  scale_rows<T, Width><<<shape.rows, Width, 0, stream>>>(x, y, shape, factor);
}
}  // namespace ops

template <int N>
__global__ void window_sum(const int* x, long long* y, int n) {
  extern __shared__ int tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = threadIdx.x; k < blockDim.x + N - 1; k += blockDim.x) {
    int at = blockIdx.x * blockDim.x + k;
    tile[k] = at < n ? x[at] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  long long sum = 0;
  for (int k = 0; k < N; ++k) sum += tile[threadIdx.x + k];
  y[i] = sum;
}

__global__ void accumulate(unsigned char* flags, double* total, unsigned long long n) {
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i < n) {
    total[i] += flags[i] ? 1.5 : -0.5;
    flags[i] = !flags[i];
  }
}
void accumulate_all(unsigned char* flags, double* total, unsigned long long n) {
  accumulate<<<(unsigned)((n + 127) / 128), 128>>>(flags, total, n);
}

int main() {
  printf("not what is judged\n");
  return 1;
}
