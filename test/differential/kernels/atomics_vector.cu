// Atomic sums of float2 and float4, bits of signed 64-bit integers, exchanges of 128 bits.
// @output unsigned int 512
// @agreement exact
#include "../input.h"

namespace atomics_vector {
struct __align__(16) Wide {
  unsigned w[4];
};
__global__ void kernel(const unsigned* in, float4* sums, long long* masks, Wide* places) {
  const unsigned w = in[blockIdx.x * blockDim.x + threadIdx.x];
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  atomicAdd(&sums[w & 15u], make_float4(1, float(w >> 24), 0.5f, -2));
  atomicAdd(reinterpret_cast<float2*>(&sums[16 + (w >> 4 & 15u)]), make_float2(float(w >> 20 & 15u), 3));
  const unsigned part = w >> 8 & 0xffffu;
  const Wide seen = atomicExch(&places[w >> 8 & 7u], Wide{{part, part * 3u, part ^ 0xffffu, part << 8}});
  // Never a mixture of two.
  if (seen.w[1] != seen.w[0] * 3u || (seen.w[0] != 0 && (seen.w[2] != (seen.w[0] ^ 0xffffu) || seen.w[3] != seen.w[0] << 8)))
    atomicAdd(reinterpret_cast<float*>(&sums[40]), 1.0f);
#endif
  atomicOr(&masks[w & 7u], 1ll << (w >> 3 & 63u));
  atomicXor(&masks[8 + (w & 7u)], (long long)w << 20);
  atomicAnd(&masks[16 + (w & 7u)], ~(1ll << (w >> 9 & 63u)));
  atomicMin(&masks[24 + (w & 7u)], (long long)int(w) << 10);
}
__global__ void finish(Wide* places) { places[threadIdx.x] = Wide{{0, 0, 0, 0}}; }
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, 512 * sizeof(unsigned), stream);
  Wide* places = reinterpret_cast<Wide*>(out + 256);
  kernel<<<16, 64, 0, stream>>>(in, reinterpret_cast<float4*>(out), reinterpret_cast<long long*>(out + 384), places);
  finish<<<1, 8, 0, stream>>>(places);
}
}  // namespace atomics_vector
