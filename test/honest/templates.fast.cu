// Four values per thread, unrolled by the template.
#include <cuda_runtime.h>
namespace ops {
template <typename T>
struct Cube {
  __device__ T operator()(T v) const { return v * v * v + T(1); }
};
template <int Block, int Each, typename T, typename F>
__global__ void __launch_bounds__(Block) apply(const T* __restrict__ x, T* __restrict__ y, int n, F f) {
  const int base = blockIdx.x * Block * Each + threadIdx.x;
#pragma unroll
  for (int k = 0; k < Each; ++k)
    if (base + k * Block < n) y[base + k * Block] = f(x[base + k * Block]);
}
}  // namespace ops
template <typename T>
void run(const T* x, T* y, int n, cudaStream_t stream) {
  constexpr int block = 128, each = 4;
  ops::apply<block, each><<<(n + block * each - 1) / (block * each), block, 0, stream>>>(x, y, n, ops::Cube<T>());
}
