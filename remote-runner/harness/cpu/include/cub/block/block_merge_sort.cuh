// BlockMergeSort: stable sorts by an order of one's own.
#ifndef KS_CUB_BLOCK_MERGE_SORT
#define KS_CUB_BLOCK_MERGE_SORT
#include "../../ks/cub_sort.h"

namespace cub {

template <class K, int X, int N, class V = NullType, int Y = 1, int Z = 1>
class BlockMergeSort {
  static constexpr int count = X * Y * Z * N;

 public:
  struct TempStorage {
    ks::Room<K, count> keys;
    ks::Room<V, count> values;
  };
  KS_CUB_PRIMITIVE(BlockMergeSort)

#define KS_SORT(NAME)                                                                  \
  template <class Less>                                                                \
  void NAME(K (&keys)[N], Less less) {                                                 \
    sort(keys, static_cast<V*>(nullptr), less, count);                                 \
  }                                                                                    \
  template <class Less>                                                                \
  void NAME(K (&keys)[N], V (&values)[N], Less less) {                                 \
    sort(keys, values, less, count);                                                   \
  }                                                                                    \
  /* Only the first `valid`; the others become `otherwise`. */                         \
  template <class Less>                                                                \
  void NAME(K (&keys)[N], Less less, int valid, K otherwise) {                         \
    fill(keys, valid, otherwise);                                                      \
    sort(keys, static_cast<V*>(nullptr), less, valid);                                 \
  }                                                                                    \
  template <class Less>                                                                \
  void NAME(K (&keys)[N], V (&values)[N], Less less, int valid, K otherwise) {         \
    fill(keys, valid, otherwise);                                                      \
    sort(keys, values, less, valid);                                                   \
  }
  KS_SORT(Sort)
  KS_SORT(StableSort)
#undef KS_SORT

 private:
  static void fill(K (&keys)[N], int valid, K otherwise) {
    for (int i = 0; i < N; ++i)
      if (ks::thread_of_block<X, Y, Z>() * N + i >= valid) keys[i] = otherwise;
  }
  template <class Less>
  void sort(K* keys, V* values, Less less, int valid) {
    const int thread = ks::thread_of_block<X, Y, Z>();
    for (int i = 0; i < N; ++i) {
      storage_.keys[thread * N + i] = keys[i];
      if (values) storage_.values[thread * N + i] = values[i];
    }
    __syncthreads();
    if (thread == 0) ks::stable_sort_room(storage_.keys, values ? &storage_.values : nullptr, valid, less);
    __syncthreads();
    for (int i = 0; i < N; ++i) {
      keys[i] = storage_.keys[thread * N + i];
      if (values) values[i] = storage_.values[thread * N + i];
    }
  }
};

}  // namespace cub

#endif
