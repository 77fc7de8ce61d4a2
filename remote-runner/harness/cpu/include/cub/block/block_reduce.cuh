// BlockReduce: each warp by halves, then the warps in their order, as cub's default algorithm does.
#ifndef KS_CUB_BLOCK_REDUCE
#define KS_CUB_BLOCK_REDUCE
#include "../../ks/cub_common.h"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC,
};

/** The result is the first thread's; what the others get is open. */
template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce {
  static constexpr int threads = X * Y * Z;

 public:
  typedef ks::Room<T, threads> TempStorage;
  KS_CUB_PRIMITIVE(BlockReduce)

  template <class Op>
  T Reduce(T input, Op op) {
    return Reduce(input, op, threads);
  }
  /** Of the first `valid` threads. */
  template <class Op>
  T Reduce(T input, Op op, int valid) {
    const int thread = ks::thread_of_block<X, Y, Z>();
    storage_[thread] = input;
    __syncthreads();
    if (thread != 0) return input;
    for (int warp = 0; warp < valid; warp += 32) {
      const int end = warp + 32 < valid ? warp + 32 : valid;
      for (int apart = 1; apart < 32; apart *= 2)
        for (int i = warp; i + apart < end; ++i) storage_[i] = op(storage_[i], storage_[i + apart]);
    }
    T result = storage_[0];
    for (int warp = 32; warp < valid; warp += 32) result = op(result, storage_[warp]);
    return result;
  }
  template <int N, class Op>
  T Reduce(T (&items)[N], Op op) {
    T own = items[0];
    for (int i = 1; i < N; ++i) own = op(own, items[i]);
    return Reduce(own, op);
  }
  T Sum(T input) { return Reduce(input, cub::Sum()); }
  T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
  template <int N>
  T Sum(T (&items)[N]) {
    return Reduce(items, cub::Sum());
  }
};

}  // namespace cub

#endif
