// A function object applied by a template, in two types.
#include <cuda_runtime.h>
namespace ops {
template <typename T>
struct Cube {
  __device__ T operator()(T v) const { return v * v * v + T(1); }
};
template <int Block, typename T, typename F>
__global__ void apply(const T* x, T* y, int n, F f) {
  const int i = blockIdx.x * Block + threadIdx.x;
  if (i < n) y[i] = f(x[i]);
}
}  // namespace ops
template <typename T>
void run(const T* x, T* y, int n, cudaStream_t stream) {
  ops::apply<128><<<(n + 127) / 128, 128, 0, stream>>>(x, y, n, ops::Cube<T>());
}
