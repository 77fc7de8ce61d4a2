// Compare-and-swap of 16 bits (a counter of four 16-bit parts) and of 128 bits (two counters that move together).
// @output unsigned long long 32
// @agreement exact
#include "../input.h"

namespace atomics_small {
struct __align__(16) Pair {
  unsigned long long count, sum;
};
__device__ void add(unsigned short* a, unsigned short v) {
  unsigned short old = *a, seen;
  do {
    seen = old;
    old = atomicCAS(a, seen, (unsigned short)(seen + v));
  } while (seen != old);
}
__global__ void kernel(const unsigned* in, unsigned long long* out) {
  const unsigned w = in[blockIdx.x * blockDim.x + threadIdx.x];
  add(reinterpret_cast<unsigned short*>(out) + (w & 63u), (unsigned short)(w >> 16));
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  Pair* place = reinterpret_cast<Pair*>(out + 16) + (w >> 6 & 7u);
  Pair old = {0, 0}, seen;
  do {
    seen = old;
    old = atomicCAS(place, seen, Pair{seen.count + 1, seen.sum + w});
  } while (seen.count != old.count || seen.sum != old.sum);
#endif
}
static void run(const unsigned* in, unsigned long long* out, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, 32 * sizeof *out, stream);
  kernel<<<16, 128, 0, stream>>>(in, out);
}
}  // namespace atomics_small
