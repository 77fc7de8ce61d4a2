// Counting, reversing, permuting and shifting of bits.
// @output unsigned int 18432
// @agreement exact
#include "../input.h"

namespace intrinsics_bits {
__global__ void kernel(const unsigned* in, unsigned int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned a = i % 16 ? in[i] : in[i] >> (i / 16 & 31), b = in[i + 1024], s = in[i + 2048] & 63u;
  const unsigned long long w = ((unsigned long long)a << 32 | b) >> (i % 3 ? 0 : s);
  const unsigned results[18] = {
      unsigned(__popc(a)), unsigned(__popcll(w)), unsigned(__clz(int(a))), unsigned(__clzll((long long)w)), unsigned(__ffs(int(a))), unsigned(__ffsll((long long)w)),
      __brev(a), unsigned(__brevll(w) >> 32), unsigned(__brevll(w)), __byte_perm(a, b, in[i + 2048]), __funnelshift_l(a, b, s), __funnelshift_r(a, b, s),
      __funnelshift_lc(a, b, s), __funnelshift_rc(a, b, s), unsigned(__fns(a, s & 31u, int(b & 7u) - 3)), unsigned(__float_as_int(__uint_as_float(a & 0x7f7fffffu))), unsigned(__double2hiint(__hiloint2double(int(a & 0x7fefffffu), int(b)))),
      unsigned(__double2loint(__hiloint2double(int(a & 0x7fefffffu), int(b)))),
  };
  for (int k = 0; k < 18; ++k) out[i + k * n] = results[k];
}
static void run(const unsigned* in, unsigned int* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out); }
}  // namespace intrinsics_bits
