// Histogram straight into global memory; the number of bins is an argument.
__global__ void hist(const int* data, int* counts, int n, int bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[data[i]], 1);
}

extern "C" void solve(const int* data, int* counts, int n, int bins) {
  cudaMemset(counts, 0, bins * sizeof(int));
  hist<<<(n + 255) / 256, 256>>>(data, counts, n, bins);
  cudaDeviceSynchronize();
}
