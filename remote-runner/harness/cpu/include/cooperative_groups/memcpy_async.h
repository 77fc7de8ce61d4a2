// memcpy_async of a group, and waiting for it.
#ifndef KS_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define KS_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"
#include "../ks/async_copy.h"

namespace cooperative_groups {

/** `bytes` is a number or an aligned_size_t. */
template <class Group, class T, class Bytes>
static inline void memcpy_async(const Group& group, T* to, const T* from, const Bytes& bytes) {
  ks::copy_by(group, to, from, size_t(bytes));
}
/** As many elements as both have. */
template <class Group, class T, class ToCount, class FromCount>
static inline void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from,
                                const FromCount& from_count) {
  const size_t a = size_t(to_count), b = size_t(from_count);
  ks::copy_by(group, to, from, (a < b ? a : b) * sizeof(T));
}
template <class Group>
static inline void wait(const Group& group, KS_SITE) {
  group.sync(file, line);
}
template <unsigned Prior, class Group>
static inline void wait_prior(const Group& group, KS_SITE) {
  group.sync(file, line);
}

}  // namespace cooperative_groups

#endif
