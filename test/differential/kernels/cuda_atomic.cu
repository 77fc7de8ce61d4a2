// cuda::atomic and cuda::atomic_ref in all scopes, with a lock and a flag that threads wait for.
// @output unsigned int 64
// @agreement exact
#include <cuda/atomic>

#include "../input.h"

namespace cuda_atomic {
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> turn;
__device__ unsigned guarded[2];
__global__ void reset() {
  turn.store(0);
  guarded[0] = guarded[1] = 0;
}
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> inside;
  if (threadIdx.x == 0) inside.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  const unsigned w = in[blockIdx.x * blockDim.x + threadIdx.x];
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> sum(out[w & 7u]);
  sum.fetch_add(w, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned> most(out[8 + (w & 7u)]);
  most.fetch_max(w);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> mixed(out[16 + (w & 7u)]);
  mixed ^= w;
  unsigned seen = mixed.load();
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> product(out[24 + (w & 7u)]);
  seen = product.load(cuda::std::memory_order_relaxed);
  while (!product.compare_exchange_weak(seen, seen * 3 + 1)) {
  }
  inside += w & 15u;
  __syncthreads();
  if (threadIdx.x == 0) {
    while (turn.load(cuda::memory_order_acquire) != blockIdx.x) {
    }
    guarded[0] = guarded[0] * 5 + inside.load();  // in the order of the blocks
    guarded[1] += 1;
    turn.fetch_add(1, cuda::memory_order_release);
  }
}
__global__ void finish(unsigned* out) {
  out[32] = guarded[0];
  out[33] = guarded[1];
  out[34] = turn.exchange(5);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, 64 * sizeof(unsigned), stream);
  reset<<<1, 1, 0, stream>>>();
  kernel<<<16, 128, 0, stream>>>(in, out);
  finish<<<1, 1, 0, stream>>>(out);
}
}  // namespace cuda_atomic
