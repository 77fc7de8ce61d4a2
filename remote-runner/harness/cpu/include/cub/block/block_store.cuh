// BlockStore: from the items of the threads to memory. All algorithms but the striped one take the same arrangement.
#ifndef KS_CUB_BLOCK_STORE
#define KS_CUB_BLOCK_STORE
#include "../../ks/cub_transfer.h"

namespace cub {

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
};

template <class T, int X, int N, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockStore {
 public:
  typedef NullType TempStorage;
  KS_CUB_PRIMITIVE(BlockStore)

  /** `valid`: how many items are stored. */
  template <class Iterator, class... Rest>
  void Store(Iterator to, T (&items)[N], Rest... valid) {
    if constexpr (Algorithm == BLOCK_STORE_STRIPED) {
      StoreDirectStriped<X * Y * Z>(ks::thread_of_block<X, Y, Z>(), to, items, valid...);
    } else {
      StoreDirectBlocked(ks::thread_of_block<X, Y, Z>(), to, items, valid...);
    }
  }
};

}  // namespace cub

#endif
