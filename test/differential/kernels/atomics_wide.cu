// Atomics of 64 bits, and compare-and-swap loops for what has none.
// @output unsigned long long 128
// @agreement exact
#include "../input.h"

namespace atomics_wide {
__device__ double atomic_max(double* a, double v) {
  unsigned long long* bits = reinterpret_cast<unsigned long long*>(a);
  unsigned long long old = *bits, seen;
  do {
    seen = old;
    old = atomicCAS(bits, seen, (unsigned long long)__double_as_longlong(fmax(v, __longlong_as_double((long long)seen))));
  } while (seen != old);
  return __longlong_as_double((long long)old);
}
__global__ void start(unsigned long long* out) {
  const int k = threadIdx.x % 16;
  out[threadIdx.x] = k == 1 || k == 2 ? 1ull << 62 : k == 5 ? ~0ull : 0ull;
}
__global__ void kernel(const unsigned* in, unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long w = (unsigned long long)in[i] << 32 | in[i + 32768];
  unsigned long long* o = out + (w & 7u) * 16;
  atomicAdd(&o[0], w);
  atomicMin(&o[1], w);
  atomicMin(reinterpret_cast<long long*>(&o[2]), (long long)w);
  atomicMax(&o[3], w);
  atomicMax(reinterpret_cast<long long*>(&o[4]), (long long)w >> 1);
  atomicAnd(&o[5], w | 0xffffull << (w >> 60));
  atomicOr(&o[6], w & 0x8040201008040201ull);
  atomicXor(&o[7], w);
  atomicAdd(reinterpret_cast<double*>(&o[8]), double(w >> 40));
  atomic_max(reinterpret_cast<double*>(&o[9]), double(w >> 11));
  atomicAdd_system(&o[10], w >> 32);
  atomicMax_block(&o[11], 5ull);
  if (atomicExch(&o[12], 1ull) == 0ull) atomicAdd(&o[13], 1ull);
  if (atomicCAS(&o[14], 0ull, w | 1ull) == 0ull) atomicAdd(&o[13], 16ull);
}
__global__ void finish(unsigned long long* out) { out[threadIdx.x * 16 + 14] = 0; }
static void run(const unsigned* in, unsigned long long* out, cudaStream_t stream) {
  start<<<1, 128, 0, stream>>>(out);
  kernel<<<64, 128, 0, stream>>>(in, out);
  finish<<<1, 8, 0, stream>>>(out);
}
}  // namespace atomics_wide
