// Kernels of templates, functors, lambdas in device code, constant expressions, overloads and virtual functions.
// @output int 6144
// @agreement exact
#include "../input.h"

namespace templates {
struct Shape {
  __device__ virtual int area(int k) const = 0;
};
struct Square : Shape {
  __device__ int area(int k) const override { return k * k; }
};
struct Strip : Shape {
  int width;
  __device__ Strip(int w) : width(w) {}
  __device__ int area(int k) const override { return k * width; }
};
template <int N>
struct Power {
  template <class T>
  __host__ __device__ constexpr T operator()(T x) const {
    if constexpr (N == 0) return T(1);
    else return x * Power<N - 1>()(x);
  }
};
template <class... F>
__device__ int all_of(int v, F... f) {
  return (f(v) + ... + 0);
}
__device__ int pick(int) { return 1; }
__device__ int pick(unsigned) { return 2; }
template <class T, int Unroll, class F>
__global__ void __launch_bounds__(128) kernel(const unsigned* in, T* out, F f) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * Unroll;
  T v[Unroll];
#pragma unroll
  for (int k = 0; k < Unroll; ++k) v[k] = f(T(in[i + k] >> 22));
  const Square square;
  const Strip strip(i % 7);
  const Shape* shapes[2] = {&square, &strip};
#pragma unroll
  for (int k = 0; k < Unroll; ++k)
    out[i + k] = v[k] + shapes[(in[i] >> k) & 1u]->area(k) + all_of(k, [&](int a) { return a + i; }, [](int a) { return a * 2; }) + pick(k) * pick(in[i]);
}
static void run(const unsigned* in, int* out, cudaStream_t stream) {
  kernel<int, 1><<<16, 128, 0, stream>>>(in, out, Power<3>());
  kernel<int, 2><<<dim3(8), dim3(128), 0, stream>>>(in, out + 2048, Power<2>());
  auto launch = kernel<int, 4, Power<1>>;
  launch<<<4, 128, 0, stream>>>(in, out + 4096, Power<1>());
}
}  // namespace templates
