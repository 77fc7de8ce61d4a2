// Recursion in device code, with an array of a thread's own.
// @output int 4096
// @agreement exact
#include "../input.h"

namespace quicksort_recursive {
__device__ void sort(int* a, int low, int high) {
  if (low >= high) return;
  const int pivot = a[(low + high) / 2];
  int i = low - 1, j = high + 1;
  for (;;) {
    do ++i;
    while (a[i] < pivot);
    do --j;
    while (a[j] > pivot);
    if (i >= j) break;
    const int old = a[i];
    a[i] = a[j];
    a[j] = old;
  }
  sort(a, low, j);
  sort(a, j + 1, high);
}
__device__ unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__global__ void kernel(const unsigned* in, int* out) {
  int a[16];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 16; ++k) a[k] = int(in[i * 16 + k]) >> 8;
  sort(a, 0, 15);
  for (int k = 0; k < 16; ++k) out[i * 16 + k] = a[k] ^ int(ackermann(2, (unsigned)k % 5));
}
static void run(const unsigned* in, int* out, cudaStream_t stream) { kernel<<<4, 64, 0, stream>>>(in, out); }
}  // namespace quicksort_recursive
