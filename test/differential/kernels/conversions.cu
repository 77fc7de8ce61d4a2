// Conversions of float and double to integers in all roundings: out of range, infinite, not a number.
// @output unsigned long long 32768
// @agreement exact
#include "../input.h"

namespace conversions {
__global__ void kernel(const unsigned* in, unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  const float a = i % 2 ? any_float(w) : 4096.0f * symmetric(w);
  const double d = i % 2 ? __longlong_as_double((long long)((unsigned long long)w << 32 | in[i + 1024])) : 1e10 * symmetric64(w, in[i + 1024]);
  const long long results[32] = {
      __float2int_rn(a), __float2int_rz(a), __float2int_ru(a), __float2int_rd(a), __float2uint_rn(a), __float2uint_rz(a),
      __float2uint_ru(a), __float2uint_rd(a), __float2ll_rn(a), __float2ll_rz(a), __float2ll_ru(a), __float2ll_rd(a),
      (long long)__float2ull_rn(a), (long long)__float2ull_rz(a), (long long)__float2ull_ru(a), (long long)__float2ull_rd(a),
      __double2int_rn(d), __double2int_rz(d), __double2int_ru(d), __double2int_rd(d), __double2uint_rn(d), __double2uint_rz(d),
      __double2uint_ru(d), __double2uint_rd(d), __double2ll_rn(d), __double2ll_rz(d), __double2ll_ru(d), __double2ll_rd(d),
      (long long)__double2ull_rn(d), (long long)__double2ull_rz(d), (long long)__double2ull_ru(d), (long long)__double2ull_rd(d),
  };
  for (int k = 0; k < 32; ++k) out[i + k * n] = (unsigned long long)results[k];
}
static void run(const unsigned* in, unsigned long long* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace conversions
