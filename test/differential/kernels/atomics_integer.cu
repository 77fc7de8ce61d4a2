// Every integer atomic of 32 bits, in shared and global memory, where the order makes no difference.
// @output unsigned int 256
// @agreement exact
#include "../input.h"

namespace atomics_integer {
__global__ void start(unsigned* out) {
  const unsigned t = threadIdx.x, k = t % 16;
  out[t] = k == 3 || k == 4 || k == 6 ? 0x7fffffffu : k == 7 ? ~0u : 0u;
}
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned least, most;
  __shared__ int sum;
  if (threadIdx.x == 0) {
    least = ~0u;
    most = 0;
    sum = 0;
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned w = in[i];
  unsigned* o = out + (w & 15u) * 16;
  int* s = reinterpret_cast<int*>(o);
  atomicAdd(&o[0], w);
  atomicAdd(&s[1], int(w) >> 4);
  atomicSub(&o[2], w >> 5);
  atomicMin(&o[3], w);
  atomicMin(&s[4], int(w));
  atomicMax(&o[5], w);
  atomicMax(&s[6], int(w) | 0x40000000);
  atomicAnd(&o[7], w | 0x00ff00ffu);
  atomicOr(&o[8], w & 0x01010101u << (threadIdx.x & 7));
  atomicXor(&o[9], w);
  atomicInc(&o[10], 999u);
  atomicDec(&o[11], 777u);
  atomicAdd_block(&sum, int(w & 255u));
  atomicMin_block(&least, w);
  atomicMax_block(&most, w);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd_system(reinterpret_cast<int*>(&out[12]), sum);
    atomicXor_system(&out[13], least);
    atomicAdd(&out[14], most);
  }
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  start<<<1, 256, 0, stream>>>(out);
  kernel<<<64, 256, 0, stream>>>(in, out);
}
}  // namespace atomics_integer
