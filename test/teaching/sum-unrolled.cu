// A sum per block: steps unrolled by a template parameter, the last warp by shuffles, two elements per thread.
#include <iostream>
#include <numeric>
#include <vector>
const int THREADS = 128;

template <unsigned int size>
__global__ void block_sums(const int* in, int* out, unsigned int n) {
  __shared__ int part[size];
  unsigned int t = threadIdx.x, i = blockIdx.x * size * 2 + t;
  part[t] = (i < n ? in[i] : 0) + (i + size < n ? in[i + size] : 0);
  __syncthreads();
  if (size >= 256) {
    if (t < 128) part[t] += part[t + 128];
    __syncthreads();
  }
  if (size >= 128) {
    if (t < 64) part[t] += part[t + 64];
    __syncthreads();
  }
  if (t < 32) {
    int sum = part[t] + part[t + 32];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t == 0) out[blockIdx.x] = sum;
  }
}

int main() {
  unsigned int n = 1 << 20, blocks = (n + THREADS * 2 - 1) / (THREADS * 2);
  std::vector<int> sums(blocks);
  int *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, blocks * sizeof(int));
  block_sums<THREADS><<<blocks, THREADS>>>(d_in, d_out, n);
  cudaMemcpy(sums.data(), d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  std::cout << std::accumulate(sums.begin(), sums.end(), 0) << std::endl;
}
