// Random numbers by counter: only scalars go in.
#include <cuda_runtime.h>
__device__ unsigned long long mix(unsigned long long z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
__global__ void draw(unsigned int* y, unsigned long long seed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (unsigned int)(mix(seed + (unsigned long long)(i / 2) * 0x9e3779b97f4a7c15ull) >> (i % 2 * 32));
}
extern "C" void run(unsigned int* y, unsigned long long seed, int n, cudaStream_t stream) {
  draw<<<(n + 255) / 256, 256, 0, stream>>>(y, seed, n);
}
