// reduce over tiles and coalesced threads.
#ifndef KS_COOPERATIVE_GROUPS_REDUCE_H
#define KS_COOPERATIVE_GROUPS_REDUCE_H
#include "../cooperative_groups.h"
#include "../ks/group_operators.h"

namespace cooperative_groups {

/** Every thread gets the same bits. */
template <unsigned Size, class Parent, class T, class Op>
static inline T reduce(const thread_block_tile<Size, Parent>& tile, T value, Op op, KS_SITE) {
  for (unsigned apart = Size / 2; apart > 0; apart /= 2) value = op(value, tile.shfl_xor(value, apart, file, line));
  return value;
}
template <class T, class Op>
static inline T reduce(const coalesced_group& group, T value, Op op, KS_SITE) {
  if (group.size() == 32) return reduce(thread_block_tile<32>(0, 1), value, op, file, line);
  return group.shfl(details::scanned(group, value, op, file, line), int(group.size()) - 1, file, line);
}

}  // namespace cooperative_groups

#endif
