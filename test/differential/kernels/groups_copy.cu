// Cooperative groups: asynchronous copies to shared memory, waited for by the block and by tiles; one thread chosen.
// @output unsigned int 8208
// @agreement exact
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

#include "../input.h"

namespace groups_copy {
namespace cg = cooperative_groups;
__global__ void kernel(const unsigned* in, unsigned* out, unsigned* counter) {
  __shared__ alignas(16) unsigned stage[2][256];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const unsigned* source = in + blockIdx.x * 1024;
  unsigned sum = 0;
  cg::memcpy_async(block, stage[0], source, sizeof(unsigned) * 256);
  for (int k = 0; k < 4; ++k) {
    if (k < 3) {
      cg::memcpy_async(block, stage[(k + 1) % 2], source + (k + 1) * 256, sizeof(unsigned) * 256);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    sum = sum * 7 + stage[k % 2][(block.thread_rank() * 5 + 3) % 256];
    block.sync();
  }
  cg::memcpy_async(warp, &stage[0][warp.meta_group_rank() * 32], &source[warp.meta_group_rank() * 32], cuda::aligned_size_t<16>(128));
  cg::wait(warp);
  sum = sum * 7 + stage[0][warp.meta_group_rank() * 32 + 31 - warp.thread_rank()];
  out[blockIdx.x * 256 + block.thread_rank()] = sum;
  cg::invoke_one(warp, [&] { atomicAdd(counter, 1u); });
  const unsigned chosen = cg::invoke_one_broadcast(warp, [&] { return source[warp.meta_group_rank()]; });
  if (warp.thread_rank() == 7) atomicAdd(counter + 1 + (blockIdx.x & 7), chosen);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, 8208 * sizeof(unsigned), stream);
  kernel<<<32, 256, 0, stream>>>(in, out, out + 8192);
}
}  // namespace groups_copy
