// BlockRadixSort: stable sorts of numbers, by all their bits or by some.
#ifndef KS_CUB_BLOCK_RADIX_SORT
#define KS_CUB_BLOCK_RADIX_SORT
#include "../../ks/cub_sort.h"
#include "block_scan.cuh"

namespace cub {

template <class K, int X, int N, class V = NullType, int = 4, bool = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig = cudaSharedMemBankSizeFourByte, int Y = 1, int Z = 1, int = 0>
class BlockRadixSort {
  static constexpr int threads = X * Y * Z, count = threads * N, all_bits = 8 * int(sizeof(K));

 public:
  struct TempStorage {
    ks::Room<K, count> keys;
    ks::Room<V, count> values;
  };
  KS_CUB_PRIMITIVE(BlockRadixSort)

#define KS_SORT(NAME, DESCENDING, STRIPED)                                                                \
  void NAME(K (&keys)[N], int begin_bit = 0, int end_bit = all_bits) {                                    \
    sort<DESCENDING, STRIPED>(keys, static_cast<V*>(nullptr), begin_bit, end_bit);                        \
  }                                                                                                       \
  void NAME(K (&keys)[N], V (&values)[N], int begin_bit = 0, int end_bit = all_bits) {                    \
    sort<DESCENDING, STRIPED>(keys, values, begin_bit, end_bit);                                          \
  }
  KS_SORT(Sort, false, false)
  KS_SORT(SortDescending, true, false)
  KS_SORT(SortBlockedToStriped, false, true)
  KS_SORT(SortDescendingBlockedToStriped, true, true)
#undef KS_SORT

 private:
  template <bool Descending, bool Striped>
  void sort(K* keys, V* values, int begin_bit, int end_bit) {
    const int thread = ks::thread_of_block<X, Y, Z>();
    for (int i = 0; i < N; ++i) {
      storage_.keys[thread * N + i] = keys[i];
      if (values) storage_.values[thread * N + i] = values[i];
    }
    __syncthreads();
    if (thread == 0) {
      const unsigned long long above = end_bit >= 64 ? ~0ull : (1ull << end_bit) - 1ull;
      const unsigned long long mask = above & ~((1ull << begin_bit) - 1ull);
      ks::stable_sort_room(storage_.keys, values ? &storage_.values : nullptr, count, [mask](K a, K b) {
        const unsigned long long x = ks::ordered_bits(a) & mask, y = ks::ordered_bits(b) & mask;
        return Descending ? x > y : x < y;
      });
    }
    __syncthreads();
    for (int i = 0; i < N; ++i) {
      const int from = Striped ? i * threads + thread : thread * N + i;
      keys[i] = storage_.keys[from];
      if (values) values[i] = storage_.values[from];
    }
  }
};

}  // namespace cub

#endif
