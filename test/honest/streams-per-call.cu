// One kernel over everything.
#include <cuda_runtime.h>
__global__ void chunk(const float* x, float* y, int from, int to) {
  for (int i = from + blockIdx.x * blockDim.x + threadIdx.x; i < to; i += gridDim.x * blockDim.x) y[i] = x[i] * x[i] - 1.f;
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) { chunk<<<16, 128, 0, stream>>>(x, y, 0, n); }
