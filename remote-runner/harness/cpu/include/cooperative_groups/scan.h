// Scans over tiles and coalesced threads.
#ifndef KS_COOPERATIVE_GROUPS_SCAN_H
#define KS_COOPERATIVE_GROUPS_SCAN_H
#include "../cooperative_groups.h"
#include "../ks/group_operators.h"

namespace cooperative_groups {

template <class Group, class T, class Op>
static inline T inclusive_scan(const Group& group, T value, Op op, KS_SITE) {
  return details::scanned(group, value, op, file, line);
}
template <class Group, class T>
static inline T inclusive_scan(const Group& group, T value, KS_SITE) {
  return details::scanned(group, value, plus<T>(), file, line);
}
/** The first thread gets T(). */
template <class Group, class T, class Op>
static inline T exclusive_scan(const Group& group, T value, Op op, KS_SITE) {
  const T before = group.shfl_up(details::scanned(group, value, op, file, line), 1, file, line);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
static inline T exclusive_scan(const Group& group, T value, KS_SITE) {
  return exclusive_scan(group, value, plus<T>(), file, line);
}

}  // namespace cooperative_groups

#endif
