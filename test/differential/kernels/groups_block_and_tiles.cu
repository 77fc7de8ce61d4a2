// Cooperative groups: the block, static tiles of every size, and tiles of tiles.
// @output unsigned int 32768
// @agreement exact
#include <cooperative_groups.h>

#include "../input.h"

namespace groups_block_and_tiles {
namespace cg = cooperative_groups;
template <unsigned Size, class Parent>
__device__ unsigned use(const Parent& parent, unsigned w) {
  auto tile = cg::tiled_partition<Size>(parent);
  unsigned r = tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.size();
  r = r * 3 + tile.shfl(w, tile.size() / 2);
  r = r * 3 + tile.shfl_up(w, 1) + tile.shfl_down(w, 2);
  r = r * 3 + tile.shfl_xor(w, 1);
  r = r * 3 + unsigned(tile.any((w & 7u) == 1u)) + 2u * unsigned(tile.all(w & 1u)) + tile.ballot(w & 2u);
  r = r * 3 + tile.match_any(w & 3u);
  tile.sync();
  return r;
}
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned s[128];
  cg::thread_block block = cg::this_thread_block();
  const int n = gridDim.x * blockDim.x * blockDim.y, i = blockIdx.x * block.size() + block.thread_rank();
  const unsigned w = in[i];
  s[block.thread_rank()] = w;
  block.sync();
  out[i] = s[(block.thread_rank() + 33) % block.num_threads()] + block.thread_index().y + block.group_index().x * block.dim_threads().x;
  auto warp = cg::tiled_partition<32>(block);
  out[i + n] = use<32>(block, w);
  out[i + 2 * n] = use<16>(block, w);
  out[i + 3 * n] = use<8>(warp, w);
  out[i + 4 * n] = use<4>(block, w);
  out[i + 5 * n] = use<2>(cg::tiled_partition<4>(warp), w);
  const cg::thread_group dynamic = cg::tiled_partition(block, 8);
  out[i + 6 * n] = dynamic.thread_rank() * 100 + dynamic.size();
  cg::sync(dynamic);
  const auto grid = cg::this_grid();
  out[i + 7 * n] = unsigned(grid.thread_rank()) + unsigned(grid.size()) * 3u + grid.group_dim().x;
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  kernel<<<32, dim3(32, 4), 0, stream>>>(in, out);
}
}  // namespace groups_block_and_tiles
