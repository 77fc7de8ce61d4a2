// Histogram with private bins in shared memory and atomics.
#include <cuda_runtime.h>
#define NUM_BINS 128

__global__ void histogram_kernel(const unsigned int* input, unsigned int* bins, unsigned int num_elements) {
  __shared__ unsigned int local[NUM_BINS];
  for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < num_elements; i += blockDim.x * gridDim.x)
    atomicAdd(&local[input[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

void histogram(const unsigned int* input, unsigned int* bins, unsigned int num_elements) {
  dim3 block(256), grid(30);
  histogram_kernel<<<grid, block>>>(input, bins, num_elements);
}
