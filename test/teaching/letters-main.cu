// How often each letter stands in a text: plain char, bins in shared memory, an error-check macro.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define LETTERS 26
#define CUDA_CHECK(call)                                                        \
  do {                                                                          \
    cudaError_t status = (call);                                                \
    if (status != cudaSuccess) {                                                \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      exit(EXIT_FAILURE);                                                       \
    }                                                                           \
  } while (0)

__global__ void count_letters(const char* text, unsigned int* counts, int length) {
  __shared__ unsigned int own[LETTERS];
  if (threadIdx.x < LETTERS) own[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length) atomicAdd(&own[text[i] % LETTERS], 1u);
  __syncthreads();
  if (threadIdx.x < LETTERS) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

int main() {
  const char* text = "the quick brown fox jumps over the lazy dog";
  int length = strlen(text);
  char* d_text;
  unsigned int *d_counts, counts[LETTERS];
  CUDA_CHECK(cudaMalloc((void**)&d_text, length));
  CUDA_CHECK(cudaMalloc((void**)&d_counts, sizeof(counts)));
  CUDA_CHECK(cudaMemcpy(d_text, text, length, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(d_counts, 0, sizeof(counts)));
  count_letters<<<(length + 255) / 256, 256>>>(d_text, d_counts, length);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(counts, d_counts, sizeof(counts), cudaMemcpyDeviceToHost));
  printf("%u\n", counts[4]);
}
