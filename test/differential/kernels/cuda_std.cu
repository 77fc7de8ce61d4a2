// cuda::std: arrays, tuples, pairs, optional values, limits, traits, complex numbers and bit functions in kernels.
// @output unsigned int 10240
// @agreement exact
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#include "../input.h"

namespace cuda_std {
template <class T>
__device__ cuda::std::enable_if_t<cuda::std::is_unsigned_v<T>, T> clamp(T v) {
  return v > cuda::std::numeric_limits<T>::max() / 2 ? cuda::std::numeric_limits<T>::max() : v;
}
__device__ cuda::std::pair<unsigned, unsigned> both(unsigned w) { return cuda::std::make_pair(w >> 16, w & 0xffffu); }
__device__ cuda::std::optional<unsigned> odd(unsigned w) {
  if (w & 1u) return w;
  return cuda::std::nullopt;
}
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  cuda::std::array<unsigned, 4> a{w, w >> 1, w >> 2, w >> 3};
  unsigned sum = 0;
  for (unsigned v : a) sum = sum * 5 + v;
  out[i] = sum + unsigned(a.size());
  const auto t = cuda::std::make_tuple(w & 255u, short(w >> 16), 2.5f);
  out[i + n] = cuda::std::get<0>(t) * 1000 + unsigned(int(cuda::std::get<1>(t))) + unsigned(cuda::std::get<2>(t));
  auto [high, low] = both(w);
  cuda::std::swap(high, low);
  out[i + 2 * n] = high << 16 | low;
  out[i + 3 * n] = clamp(w) + clamp((unsigned short)w) + odd(w).value_or(17u);
  const cuda::std::complex<float> z(float(w & 15u), float(w >> 4 & 15u));
  const auto product = z + cuda::std::conj(z) * 2.0f;
  out[i + 4 * n] = unsigned(int(product.real()) * 100 + int(product.imag()) + int(cuda::std::norm(z)) * 10000);
  out[i + 5 * n] = unsigned(cuda::std::popcount(w) + 100 * cuda::std::countl_zero(w >> (w & 31u)) + 10000 * cuda::std::countr_zero(w));
  out[i + 6 * n] = cuda::std::bit_cast<unsigned>(symmetric(w)) ^ cuda::std::rotl(w, 7);
  const cuda::std::int64_t wide = cuda::std::numeric_limits<cuda::std::int64_t>::min() + cuda::std::int64_t(w);
  out[i + 7 * n] = unsigned(wide >> 20);
  out[i + 8 * n] = unsigned(cuda::std::is_same_v<cuda::std::decay_t<const unsigned&>, unsigned>) + unsigned(sizeof(cuda::std::uint8_t)) * 2u;
  out[i + 9 * n] = cuda::std::numeric_limits<float>::infinity() > symmetric(w) ? cuda::std::integral_constant<unsigned, 6>::value : 0u;
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace cuda_std
