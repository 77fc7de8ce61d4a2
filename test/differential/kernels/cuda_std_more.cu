// cuda::std: views of arrays, function objects, sets of bits, and cuda's own helpers.
// @output unsigned int 8192
// @agreement exact
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/cmath>
#include <cuda/std/functional>
#include <cuda/std/numeric>
#include <cuda/std/span>
#include <cuda/std/variant>

#include "../input.h"

namespace cuda_std_more {
__device__ unsigned sum_of(cuda::std::span<const unsigned> values) {
  return cuda::std::accumulate(values.begin(), values.end(), 5u, cuda::std::plus<unsigned>());
}
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  const unsigned local[6] = {w, w >> 3, w >> 6, w >> 9, w >> 12, w >> 15};
  const cuda::std::span<const unsigned> all(local);
  out[i] = sum_of(all.subspan(1, 3)) ^ all.front() ^ all.back() ^ unsigned(all.size());
  cuda::std::bitset<40> bits(w);
  bits.set(35).flip(3);
  out[i + n] = unsigned(bits.count()) * 10 + bits.test(4) + unsigned((bits >> 30).to_ullong()) * 1000;
  out[i + 2 * n] = cuda::ceil_div(w >> 8, 77u) + cuda::round_up(int(w & 0xfffu), 16);
  out[i + 3 * n] = cuda::maximum<unsigned>()(w, 1u << 31) - cuda::minimum<unsigned>()(w, 1u << 30);
  const cuda::std::variant<unsigned, float> either = w & 1u ? cuda::std::variant<unsigned, float>(w) : cuda::std::variant<unsigned, float>(symmetric(w));
  out[i + 4 * n] = either.index() == 0 ? *cuda::std::get_if<0>(&either) : float_bits(*cuda::std::get_if<1>(&either));
  out[i + 5 * n] = cuda::std::bit_ceil((w >> 8) + 1) ^ cuda::std::bit_floor(w | 1u) ^ unsigned(cuda::std::bit_width(w)) ^ cuda::std::rotr(w, 5);
  out[i + 6 * n] = float_bits(cuda::std::sqrt(cuda::std::fabs(symmetric(w)))) + unsigned(cuda::std::isfinite(any_float(w)));
  out[i + 7 * n] = cuda::std::has_single_bit(w & 24u) + 2u * unsigned(cuda::std::gcd(w >> 20, 360u)) + cuda::std::greater<>()(w, 1000u);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace cuda_std_more
