// BlockDiscontinuity: flags where neighbouring items differ.
#ifndef KS_CUB_BLOCK_DISCONTINUITY
#define KS_CUB_BLOCK_DISCONTINUITY
#include "../../ks/cub_common.h"

namespace cub {

template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockDiscontinuity {
  static constexpr int threads = X * Y * Z;

 public:
  /** The last item of each thread, and behind them the first of each. */
  typedef ks::Room<T, 2 * threads> TempStorage;
  KS_CUB_PRIMITIVE(BlockDiscontinuity)

  /** The first item of the block counts as different where nothing is known before it. */
  template <int N, class Flag, class Op>
  void FlagHeads(Flag (&flags)[N], T (&items)[N], Op op) {
    share(items[0], items[N - 1]);
    heads(flags, items, op, static_cast<const T*>(nullptr));
  }
  template <int N, class Flag, class Op>
  void FlagHeads(Flag (&flags)[N], T (&items)[N], Op op, T before_block) {
    share(items[0], items[N - 1]);
    heads(flags, items, op, &before_block);
  }
  template <int N, class Flag, class Op>
  void FlagTails(Flag (&flags)[N], T (&items)[N], Op op) {
    share(items[0], items[N - 1]);
    tails(flags, items, op, static_cast<const T*>(nullptr));
  }
  template <int N, class Flag, class Op>
  void FlagTails(Flag (&flags)[N], T (&items)[N], Op op, T after_block) {
    share(items[0], items[N - 1]);
    tails(flags, items, op, &after_block);
  }
  template <int N, class Flag, class Op>
  void FlagHeadsAndTails(Flag (&head_flags)[N], Flag (&tail_flags)[N], T (&items)[N], Op op) {
    share(items[0], items[N - 1]);
    heads(head_flags, items, op, static_cast<const T*>(nullptr));
    tails(tail_flags, items, op, static_cast<const T*>(nullptr));
  }

 private:
  void share(const T& first, const T& last) {
    const int thread = ks::thread_of_block<X, Y, Z>();
    storage_[thread] = last;
    storage_[threads + thread] = first;
    __syncthreads();
  }
  template <int N, class Flag, class Op>
  void heads(Flag (&flags)[N], T (&items)[N], Op op, const T* before_block) {
    const int thread = ks::thread_of_block<X, Y, Z>();
    for (int i = N - 1; i > 0; --i) flags[i] = Flag(op(items[i - 1], items[i]));
    if (thread > 0) flags[0] = Flag(op(storage_[thread - 1], items[0]));
    else flags[0] = before_block ? Flag(op(*before_block, items[0])) : Flag(1);
  }
  template <int N, class Flag, class Op>
  void tails(Flag (&flags)[N], T (&items)[N], Op op, const T* after_block) {
    const int thread = ks::thread_of_block<X, Y, Z>();
    for (int i = 0; i < N - 1; ++i) flags[i] = Flag(op(items[i], items[i + 1]));
    if (thread < threads - 1) flags[N - 1] = Flag(op(items[N - 1], storage_[threads + thread + 1]));
    else flags[N - 1] = after_block ? Flag(op(items[N - 1], *after_block)) : Flag(1);
  }
};

}  // namespace cub

#endif
