// cub: sorts by an order of one's own, flags where neighbours differ, histograms, scans that go on from tile to tile, edges of loads.
// @output unsigned int 6208
// @agreement exact
#include <cub/cub.cuh>

#include "../input.h"

namespace cub_block_more {
constexpr int threads = 64, items = 3, tile = threads * items;
struct ByLowBits {
  __device__ bool operator()(unsigned a, unsigned b) const { return (a & 0xfffu) < (b & 0xfffu); }
};
struct Different {
  __device__ bool operator()(unsigned a, unsigned b) const { return a != b; }
};
struct Running {
  unsigned total;
  __device__ unsigned operator()(unsigned sum) {
    const unsigned before = total;
    total += sum;
    return before;
  }
};
__global__ void kernel(const unsigned* in, unsigned* out) {
  typedef cub::BlockMergeSort<unsigned, 16, items, int, 4> Sort;
  typedef cub::BlockDiscontinuity<unsigned, 16, 4> Flags;
  typedef cub::BlockHistogram<unsigned char, 16, items, 32, cub::BLOCK_HISTO_ATOMIC, 4> Histogram;
  typedef cub::BlockScan<unsigned, 16, cub::BLOCK_SCAN_RAKING, 4> Scan;
  typedef cub::BlockLoad<unsigned, 16, items, cub::BLOCK_LOAD_STRIPED, 4> Striped;
  __shared__ typename Sort::TempStorage sort;
  __shared__ typename Flags::TempStorage flags_storage;
  __shared__ typename Histogram::TempStorage histogram;
  __shared__ typename Scan::TempStorage scan;
  __shared__ typename Striped::TempStorage striped;
  __shared__ unsigned counts[32];
  const int t = threadIdx.x + threadIdx.y * blockDim.x, base = blockIdx.x * tile, n = gridDim.x * tile;
  unsigned keys[items], values[items], sums[items];
  int places[items], heads[items], tails[items];
  unsigned char small[items];
  Striped(striped).Load(in + base, keys, tile - 10, 77u);
  for (int k = 0; k < items; ++k) {
    places[k] = t * items + k;
    values[k] = keys[k] >> 30;
    small[k] = (unsigned char)(keys[k] & 31u);
    out[base + t * items + k] = keys[k];
  }
  Sort(sort).Sort(keys, places, ByLowBits());
  Flags(flags_storage).FlagHeads(heads, values, Different());
  __syncthreads();
  Flags(flags_storage).FlagTails(tails, values, Different(), 2u);
  Histogram(histogram).Histogram(small, counts);
  Running running{100};
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    if (round == 0) Scan(scan).ExclusiveSum(values, sums, running);
    else Scan(scan).InclusiveSum(values, sums, running);
  }
  __syncthreads();
  for (int k = 0; k < items; ++k) {
    // Of equal keys the order is open to a merge sort that need not be stable.
    out[n + base + t * items + k] = (keys[k] & 0xfffu) << 2 | unsigned(heads[k]) | unsigned(tails[k]) << 1;
    out[2 * n + base + t * items + k] = sums[k];
  }
  unsigned least;
  Scan(scan).InclusiveScan(values[0] + 5u, least, [](unsigned a, unsigned b) { return a < b ? a : b; });
  if (t < 32) out[3 * n + blockIdx.x * 32 + t] = counts[t] + 1000 * least;
  unsigned sum = 0;
  for (int k = 0; k < items; ++k) sum += in[base + places[k]] & 1u;
  sum = cub::BlockReduce<unsigned, 16, cub::BLOCK_REDUCE_RAKING, 4>().Sum(sum);
  if (t == 0 && blockIdx.x < 4) out[3 * n + gridDim.x * 32 + blockIdx.x] = sum;
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, 6208 * sizeof(unsigned), stream);
  kernel<<<10, dim3(16, 4), 0, stream>>>(in, out);
}
}  // namespace cub_block_more
