// cub: reductions, scans, loads, stores, sorts and exchanges of a block.
// @output unsigned int 16896
// @agreement exact
#include <cub/cub.cuh>

#include "../input.h"

namespace cub_block {
constexpr int threads = 128, items = 4;
struct Longest {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return (a >> 7) > (b >> 7) ? a : b; }
};
__global__ void kernel(const unsigned* in, unsigned* out) {
  typedef cub::BlockLoad<unsigned, threads, items, cub::BLOCK_LOAD_TRANSPOSE> Load;
  typedef cub::BlockStore<unsigned, threads, items, cub::BLOCK_STORE_TRANSPOSE> Store;
  typedef cub::BlockReduce<unsigned, threads> Reduce;
  typedef cub::BlockScan<unsigned, threads> Scan;
  typedef cub::BlockRadixSort<unsigned, threads, items, unsigned short> Sort;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
  } temp;
  const int tile = threads * items, base = blockIdx.x * tile;
  unsigned w[items], v[items];
  unsigned short values[items];
  Load(temp.load).Load(in + base, w);
  __syncthreads();
  const unsigned sum = Reduce(temp.reduce).Sum(w);
  __syncthreads();
  const unsigned most = Reduce(temp.reduce).Reduce(w[0], Longest(), 100);
  __syncthreads();
  unsigned total;
  Scan(temp.scan).ExclusiveSum(w, v, total);
  __syncthreads();
  Store(temp.store).Store(out + base, v);
  __syncthreads();
  unsigned running;
  Scan(temp.scan).InclusiveScan(w[1] & 0xffffu, running, [](unsigned a, unsigned b) { return a > b ? a : b; });
  __syncthreads();
  for (int k = 0; k < items; ++k) values[k] = (unsigned short)(threadIdx.x * items + k);
  for (int k = 0; k < items; ++k) v[k] = w[k] >> 4 & 0xffffu;  // with equal keys: the sort is stable
  Sort(temp.sort).Sort(v, values);
  __syncthreads();
  for (int k = 0; k < items; ++k) v[k] = v[k] << 9 ^ values[k] ^ running;
  Store(temp.store).Store(out + 16 * tile + base, v, tile - 5);
  if (threadIdx.x == 0) {
    unsigned* rest = out + 32 * tile + blockIdx.x * 4;
    rest[0] = sum;
    rest[1] = most;
    rest[2] = total;
    for (int k = 0; k < 5; ++k) out[16 * tile + base + tile - 5 + k] = 7;
  }
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, 16896 * sizeof(unsigned), stream);
  kernel<<<16, threads, 0, stream>>>(in, out);
}
}  // namespace cub_block
