// Inclusive scan of one section for each block, then the sums of the sections added: three kernels behind one function.
#include <cuda_runtime.h>
#define SECTION 1024

__global__ void scan_sections(const float* X, float* Y, float* S, unsigned int N) {
  __shared__ float XY[SECTION];
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  XY[threadIdx.x] = i < N ? X[i] : 0.0f;
  for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    float temp = 0.0f;
    if (threadIdx.x >= stride) temp = XY[threadIdx.x] + XY[threadIdx.x - stride];
    __syncthreads();
    if (threadIdx.x >= stride) XY[threadIdx.x] = temp;
  }
  if (i < N) Y[i] = XY[threadIdx.x];
  if (threadIdx.x == blockDim.x - 1 && S != nullptr) S[blockIdx.x] = XY[threadIdx.x];
}

__global__ void add_sums(float* Y, const float* S, unsigned int N) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N && blockIdx.x > 0) Y[i] += S[blockIdx.x - 1];
}

void scan(const float* X, float* Y, unsigned int N, cudaStream_t stream) {
  int sections = (N + SECTION - 1) / SECTION;
  float* sums;
  cudaMallocAsync(&sums, sections * sizeof(float), stream);
  scan_sections<<<sections, SECTION, 0, stream>>>(X, Y, sums, N);
  scan_sections<<<1, SECTION, 0, stream>>>(sums, sums, nullptr, sections);
  add_sums<<<sections, SECTION, 0, stream>>>(Y, sums, N);
  cudaFreeAsync(sums, stream);
}
