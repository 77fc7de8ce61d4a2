// cub: reductions and scans of warps and of parts of a warp.
// @output unsigned int 16384
// @agreement exact
#include <cub/cub.cuh>

#include "../input.h"

namespace cub_warp {
__global__ void kernel(const unsigned* in, unsigned* out) {
  typedef cub::WarpReduce<unsigned> Reduce;
  typedef cub::WarpReduce<int, 8> Reduce8;
  typedef cub::WarpScan<unsigned> Scan;
  typedef cub::WarpScan<unsigned, 16> Scan16;
  __shared__ typename Reduce::TempStorage reduce[4];
  __shared__ typename Reduce8::TempStorage reduce8[16];
  __shared__ typename Scan::TempStorage scan[4];
  __shared__ typename Scan16::TempStorage scan16[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, t = threadIdx.x, lane = t & 31;
  const unsigned w = in[i];
  unsigned r = Reduce(reduce[t / 32]).Sum(w);
  out[i] = lane == 0 ? r : 0u;
  int s = Reduce8(reduce8[t / 8]).Reduce(int(w), [](int a, int b) { return a < b ? a : b; });
  out[i + n] = t % 8 == 0 ? unsigned(s) : 0u;
  r = Reduce(reduce[t / 32]).Reduce(w, [](unsigned a, unsigned b) { return a > b ? a : b; }, 20);
  out[i + 2 * n] = lane == 0 ? r : 0u;
  Scan(scan[t / 32]).InclusiveSum(w, out[i + 3 * n]);
  unsigned total;
  Scan(scan[t / 32]).ExclusiveSum(w, out[i + 4 * n], total);
  out[i + 5 * n] = total;
  Scan16(scan16[t / 16]).ExclusiveScan(w, out[i + 6 * n], 9u, [](unsigned a, unsigned b) { return a ^ b; });
  unsigned inclusive, exclusive;
  Scan(scan[t / 32]).Scan(w >> 8, inclusive, exclusive, 3u, [](unsigned a, unsigned b) { return a + b; });
  out[i + 7 * n] = inclusive + 7 * exclusive + Scan(scan[t / 32]).Broadcast(w, 13);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<16, 128, 0, stream>>>(in, out); }
}  // namespace cub_warp
