// Cooperative groups: reduce and scans of tiles, coalesced groups and operators of all kinds.
// @output unsigned int 26624
// @agreement exact
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../input.h"

namespace groups_reduce_scan {
namespace cg = cooperative_groups;
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto tile = cg::tiled_partition<8>(block);
  out[i] = cg::reduce(warp, w, cg::plus<unsigned>());
  out[i + n] = unsigned(cg::reduce(tile, int(w), cg::less<int>()));
  out[i + 2 * n] = cg::reduce(tile, w, cg::greater<unsigned>());
  out[i + 3 * n] = cg::reduce(warp, w, cg::bit_xor<unsigned>()) ^ cg::reduce(tile, w, cg::bit_or<unsigned>());
  out[i + 4 * n] = unsigned(cg::reduce(warp, (unsigned long long)w << 20, cg::plus<unsigned long long>()) >> 20);
  out[i + 5 * n] = cg::reduce(tile, w & 0xffffu, [](unsigned a, unsigned b) { return a * b + a + b; });
  out[i + 6 * n] = cg::inclusive_scan(warp, w);
  out[i + 7 * n] = cg::exclusive_scan(tile, w);
  out[i + 8 * n] = unsigned(cg::inclusive_scan(tile, int(w), cg::greater<int>()));
  out[i + 9 * n] = cg::exclusive_scan(warp, w & 255u, cg::plus<unsigned>());
  const float order = cg::reduce(tile, symmetric(w), cg::greater<float>());
  out[i + 10 * n] = float_bits(order);
  const cg::coalesced_group same = cg::labeled_partition(warp, w & 3u);
  out[i + 11 * n] = cg::reduce(same, w, cg::plus<unsigned>());
  out[i + 12 * n] = cg::inclusive_scan(same, w, cg::plus<unsigned>());
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<16, 128, 0, stream>>>(in, out); }
}  // namespace groups_reduce_scan
