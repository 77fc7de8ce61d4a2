// Two halves of an array, one kernel after the other on the entry's stream.
#include <cuda_runtime.h>
__global__ void part(const float* x, float* y, int from, int to, float f) {
  const int i = from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < to) y[i] = f * x[i] + sinf(x[i]);
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  const int half = n / 2;
  part<<<(half + 127) / 128, 128, 0, stream>>>(x, y, 0, half, 2.f);
  part<<<(n - half + 127) / 128, 128, 0, stream>>>(x, y, half, n, 3.f);
}
