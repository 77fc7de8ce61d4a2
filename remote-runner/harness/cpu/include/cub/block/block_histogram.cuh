// BlockHistogram: counts of small numbers.
#ifndef KS_CUB_BLOCK_HISTOGRAM
#define KS_CUB_BLOCK_HISTOGRAM
#include "../../ks/cub_common.h"

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int N, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int = 0>
class BlockHistogram {
 public:
  typedef NullType TempStorage;
  KS_CUB_PRIMITIVE(BlockHistogram)

  template <class Counter>
  void InitHistogram(Counter (&histogram)[Bins]) {
    for (int bin = ks::thread_of_block<X, Y, Z>(); bin < Bins; bin += X * Y * Z) histogram[bin] = Counter(0);
  }
  /** Adds to what is there. */
  template <class Counter>
  void Composite(T (&items)[N], Counter (&histogram)[Bins]) {
    for (int i = 0; i < N; ++i) atomicAdd(&histogram[items[i]], Counter(1));
  }
  template <class Counter>
  void Histogram(T (&items)[N], Counter (&histogram)[Bins]) {
    InitHistogram(histogram);
    __syncthreads();
    Composite(items, histogram);
  }
};

}  // namespace cub

#endif
