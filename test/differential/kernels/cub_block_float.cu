// cub: sorts of floats and of signed keys descending and by some bits, extremes with their places, striped arrangements.
// @output unsigned int 8256
// @agreement exact
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "../input.h"

namespace cub_block_float {
constexpr int threads = 64, items = 2;
__global__ void kernel(const unsigned* in, unsigned* out) {
  typedef cub::BlockRadixSort<float, threads, items> SortFloat;
  typedef cub::BlockRadixSort<int, threads, items> SortInt;
  typedef cub::KeyValuePair<int, float> Place;
  typedef cub::BlockReduce<Place, threads> Reduce;
  typedef cub::BlockExchange<unsigned, threads, items> Exchange;
  typedef cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS> Scan;
  __shared__ typename SortFloat::TempStorage sort_float;
  __shared__ typename SortInt::TempStorage sort_int;
  __shared__ typename Reduce::TempStorage reduce;
  __shared__ typename Exchange::TempStorage exchange;
  __shared__ typename Scan::TempStorage scan;
  const int t = threadIdx.x, base = blockIdx.x * threads * items, n = 16 * threads * items;
  float f[items];
  int k[items];
  unsigned u[items];
  for (int j = 0; j < items; ++j) {
    u[j] = in[base + t * items + j];
    f[j] = symmetric(u[j]);
    k[j] = int(u[j]);
  }
  const Place top = Reduce(reduce).Reduce(Place(t, f[0]), cub::ArgMax());
  SortFloat(sort_float).SortDescending(f);
  SortInt(sort_int).SortBlockedToStriped(k, 4, 28);
  Exchange(exchange).BlockedToStriped(u, u);
  int before, all;
  Scan(scan).ExclusiveScan(k[0] >> 20, before, -5000, [](int a, int b) { return a > b ? a : b; }, all);
  for (int j = 0; j < items; ++j) {
    out[base + t * items + j] = float_bits(f[j]);
    out[n + base + j * threads + t] = unsigned(k[j]);
    out[2 * n + base + j * threads + t] = u[j];
  }
  out[3 * n + blockIdx.x * threads + t] = unsigned(before);
  if (t == 0) {
    out[3 * n + 1024 + blockIdx.x * 4] = unsigned(top.key);
    out[3 * n + 1024 + blockIdx.x * 4 + 1] = float_bits(top.value);
    out[3 * n + 1024 + blockIdx.x * 4 + 2] = unsigned(all);
  }
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, 8256 * sizeof(unsigned), stream);
  kernel<<<16, threads, 0, stream>>>(in, out);
}
}  // namespace cub_block_float
