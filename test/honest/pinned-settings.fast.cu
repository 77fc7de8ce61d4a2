// Coefficients computed by the host and copied from pinned memory in each call.
#include <cuda_runtime.h>
__global__ void polynomial(const float* x, float* y, const float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (c[0] * x[i] + c[1]) * x[i] + c[2];
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  static float *pinned, *coefficients;
  if (!pinned) {
    cudaMallocHost((void**)&pinned, 3 * sizeof(float));
    cudaMalloc((void**)&coefficients, 3 * sizeof(float));
  }
  cudaStreamSynchronize(stream);  // the copy of the call before may still read
  pinned[0] = 0.5f, pinned[1] = -1.f, pinned[2] = 0.25f * (n % 7);
  cudaMemcpyAsync(coefficients, pinned, 3 * sizeof(float), cudaMemcpyHostToDevice, stream);
  polynomial<<<(n + 127) / 128, 128, 0, stream>>>(x, y, coefficients, n);
}
