// WarpReduce: by halves, as cub does.
#ifndef KS_CUB_WARP_REDUCE
#define KS_CUB_WARP_REDUCE
#include "../../ks/cub_common.h"

namespace ks {

/** The logical warp of `Width` lanes that this thread is in. */
template <int Width>
static inline ::cooperative_groups::details::lanes logical_warp() {
  const unsigned first = lane() / unsigned(Width) * unsigned(Width);
  return ::cooperative_groups::details::lanes((Width >= 32 ? ~0u : (1u << Width % 32) - 1u) << first);
}

}  // namespace ks

namespace cub {

/** The result is the first lane's; what the others get is open. */
template <class T, int Width = 32, int = 0>
class WarpReduce {
 public:
  typedef NullType TempStorage;
  WarpReduce(TempStorage&) {}

  template <class Op>
  T Reduce(T input, Op op) {
    return Reduce(input, op, Width);
  }
  /** Of the first `valid` lanes. */
  template <class Op>
  T Reduce(T input, Op op, int valid) {
    const auto warp = ks::logical_warp<Width>();
    const int rank = int(warp.thread_rank());
    for (int apart = 1; apart < Width; apart *= 2) {
      const T other = warp.shfl_down(input, unsigned(apart));
      if (rank + apart < valid) input = op(input, other);
    }
    return input;
  }
  T Sum(T input) { return Reduce(input, cub::Sum()); }
  T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
};

}  // namespace cub

#endif
