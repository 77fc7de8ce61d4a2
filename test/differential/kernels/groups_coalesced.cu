// Cooperative groups: coalesced threads, binary and labelled partitions, counters added to once per group.
// @output unsigned int 12304
// @agreement exact
#include <cooperative_groups.h>

#include "../input.h"

namespace groups_coalesced {
namespace cg = cooperative_groups;
__device__ unsigned add_once(unsigned* counter) {
  const cg::coalesced_group active = cg::coalesced_threads();
  unsigned start = 0;
  if (active.thread_rank() == 0) start = atomicAdd(counter, active.size());
  return active.shfl(start, 0) + active.thread_rank();
}
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  out[i] = 0;
  out[i + n] = 0;
  // By ballot which lanes come, so that they are sure to come together.
  const unsigned odd = __ballot_sync(~0u, w & 1u);
  if (w & 1u) {
    __syncwarp(odd);
    const cg::coalesced_group active = cg::coalesced_threads();
    out[i] = active.thread_rank() + 100 * active.size() + 10000 * active.shfl(w & 0xffu, active.size() - 1);
    out[i + n] = active.ballot(w & 2u) ^ active.shfl_down(w, 1) ^ active.match_any(w >> 4 & 1u);
    __syncwarp(odd);
    add_once(&out[6 * n + (w >> 8 & 7u)]);
  }
  __syncwarp();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const cg::coalesced_group same = cg::labeled_partition(warp, w >> 2 & 3u);
  out[i + 2 * n] = same.thread_rank() + 100 * same.size() + 10000 * same.meta_group_rank() + 1000000 * same.meta_group_size();
  out[i + 3 * n] = same.shfl_up(w, 2) + same.shfl(w, (same.thread_rank() + 3) % same.size());
  const cg::coalesced_group side = cg::binary_partition(warp, (w & 4u) != 0);
  out[i + 4 * n] = side.thread_rank() + 100 * side.size() + side.any((w & 0xf8u) == 8u) * 10000;
  const auto quarter = cg::tiled_partition<8>(warp);
  const cg::coalesced_group few = cg::labeled_partition(quarter, w & 1u);
  out[i + 5 * n] = few.thread_rank() * 100 + few.size();
  if (i < 8) atomicAdd(&out[6 * n + 8 + i], 1u);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, 12304 * sizeof(unsigned), stream);
  kernel<<<16, 128, 0, stream>>>(in, out);
}
}  // namespace groups_coalesced
