// Atomic sums of floats, halves and bfloat16 whose partial sums are all exact.
// @output float 64
// @agreement exact
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../input.h"

namespace atomics_float {
struct Sums {
  __half2 pair[4];
  __nv_bfloat162 brain[4];
  __half single[4];
  __nv_bfloat16 brain_single[4];
};
__device__ Sums sums;
__global__ void start(float* out) {
  if (threadIdx.x < sizeof(Sums) / 4) reinterpret_cast<unsigned*>(&sums)[threadIdx.x] = 0;
  out[threadIdx.x] = 0;
}
__global__ void kernel(const unsigned* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned w = in[i];
  atomicAdd(&out[w & 15u], float(w >> 24));
  atomicAdd_block(&out[16], 0.5f);
  if (i % 8 == 0) {
    const int k = i / 8 & 3;
    atomicAdd(&sums.pair[k], __floats2half2_rn(float(w >> 8 & 3u), 1.0f));
    atomicAdd(&sums.single[k], __float2half(float(w >> 10 & 3u)));
  }
  if (i % 128 == 0) {
    const int k = i / 128 & 3;
    atomicAdd(&sums.brain[k], __floats2bfloat162_rn(float(w >> 12 & 1u), 1.0f));
    atomicAdd(&sums.brain_single[k], __float2bfloat16(float(w >> 13 & 3u)));
  }
}
__global__ void finish(float* out) {
  const int k = threadIdx.x;
  out[17 + k] = __low2float(sums.pair[k]);
  out[21 + k] = __high2float(sums.pair[k]);
  out[25 + k] = __low2float(sums.brain[k]);
  out[29 + k] = __high2float(sums.brain[k]);
  out[33 + k] = __half2float(sums.single[k]);
  out[37 + k] = __bfloat162float(sums.brain_single[k]);
}
static void run(const unsigned* in, float* out, cudaStream_t stream) {
  start<<<1, 64, 0, stream>>>(out);
  kernel<<<32, 128, 0, stream>>>(in, out);
  finish<<<1, 4, 0, stream>>>(out);
}
}  // namespace atomics_float
