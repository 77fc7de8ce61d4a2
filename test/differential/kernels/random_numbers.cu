// Philox and xorshift generators of one's own, and the places of points in a circle.
// @output unsigned int 8200
// @agreement exact
#include "../input.h"

namespace random_numbers {
__device__ uint4 philox(uint4 c, uint2 k) {
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x, high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
    c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
    k.x += 0x9e3779b9u;
    k.y += 0xbb67ae85u;
  }
  return c;
}
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 r = philox(make_uint4(i, 0, 7, 0), make_uint2(in[0], in[1]));
  reinterpret_cast<uint4*>(out)[i] = r;
  unsigned long long s = (unsigned long long)in[i] << 32 | 1u;
  int inside = 0;
  for (int k = 0; k < 200; ++k) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    const long long x = (long long)(s & 0xffffu), y = (long long)(s >> 20 & 0xffffu);
    inside += x * x + y * y < 0x10000ll * 0x10000ll;
  }
  atomicAdd(&out[8192 + (i & 7)], unsigned(inside));
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  cudaMemsetAsync(out + 8192, 0, 8 * sizeof(unsigned), stream);
  kernel<<<16, 128, 0, stream>>>(in, out);
}
}  // namespace random_numbers
