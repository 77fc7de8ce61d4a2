// Asks for the gathered array to stay in the L2 during the call, and takes the wish back.
#include <cuda_runtime.h>
__global__ void gather(const float* x, const int* index, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.f;
  for (int k = 0; k < 16; ++k) sum += x[index[(i + k * 4097) % n]];
  y[i] = sum;
}
extern "C" void run(const float* x, const int* index, float* y, int n, cudaStream_t stream) {
  cudaStreamAttrValue window = {};
  window.accessPolicyWindow.base_ptr = (void*)x;
  window.accessPolicyWindow.num_bytes = n * sizeof(float);
  window.accessPolicyWindow.hitRatio = 1.f;
  window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
  gather<<<(n + 255) / 256, 256, 0, stream>>>(x, index, y, n);
  window.accessPolicyWindow.num_bytes = 0;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
}
