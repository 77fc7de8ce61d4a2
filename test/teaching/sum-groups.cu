// A sum whose device function takes any cooperative group, and reads through a pointer without const.
#include <cooperative_groups.h>
using namespace cooperative_groups;

__device__ int own_share(int* numbers, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += numbers[i];
  return sum;
}

__device__ int total(thread_group group, int* scratch, int value) {
  int rank = group.thread_rank();
  for (int half = group.size() / 2; half > 0; half /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < half) value += scratch[rank + half];
    group.sync();
  }
  return value;
}

__global__ void add_up(int* result, int* numbers, int n) {
  extern __shared__ int scratch[];
  int sum = total(this_thread_block(), scratch, own_share(numbers, n));
  if (threadIdx.x == 0) atomicAdd(result, sum);
}

int main() {
  int n = 1 << 20, *result, *numbers;
  cudaMallocManaged(&result, sizeof(int));
  cudaMallocManaged(&numbers, n * sizeof(int));
  add_up<<<24, 128, 128 * sizeof(int)>>>(result, numbers, n);
  cudaDeviceSynchronize();
  return 0;
}
