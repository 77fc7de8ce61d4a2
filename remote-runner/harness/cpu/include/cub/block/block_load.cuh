// BlockLoad: from memory to the items of the threads. All algorithms but the striped one give the same arrangement.
#ifndef KS_CUB_BLOCK_LOAD
#define KS_CUB_BLOCK_LOAD
#include "../../ks/cub_transfer.h"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
};

template <class T, int X, int N, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockLoad {
 public:
  typedef NullType TempStorage;
  KS_CUB_PRIMITIVE(BlockLoad)

  /** `valid`: how many items there are; `otherwise`: what stands for those behind. */
  template <class Iterator, class... Rest>
  void Load(Iterator from, T (&items)[N], Rest... valid_and_otherwise) {
    if constexpr (Algorithm == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<X * Y * Z>(ks::thread_of_block<X, Y, Z>(), from, items, valid_and_otherwise...);
    } else {
      LoadDirectBlocked(ks::thread_of_block<X, Y, Z>(), from, items, valid_and_otherwise...);
    }
  }
};

}  // namespace cub

#endif
