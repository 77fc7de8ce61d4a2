// Operators of reductions and scans over groups.
#ifndef KS_GROUP_OPERATORS_H
#define KS_GROUP_OPERATORS_H
#include "groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

namespace details {
/** The order of operations, and of operands, is that of NVIDIA's headers: sums of floats agree to the bit. */
template <class Group, class T, class Op>
static inline T scanned(const Group& group, T value, Op op, const char* file, unsigned line) {
  T result = value;
  for (unsigned step = 1; step < group.size(); step *= 2) {
    const T before = group.shfl_up(result, step, file, line);
    if (group.thread_rank() >= step) result = op(result, before);
  }
  return result;
}
}  // namespace details

}  // namespace cooperative_groups

#endif
