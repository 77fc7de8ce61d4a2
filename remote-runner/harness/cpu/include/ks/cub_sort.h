// Sorting in shared memory: the first thread does it while the others wait.
#ifndef KS_CUB_SORT_H
#define KS_CUB_SORT_H
#include <algorithm>
#include <memory>

#include "cub_common.h"

namespace ks {

/** Bits of a key in the order of the keys; the two zeros of floating point are the same. */
template <class K>
static inline unsigned long long ordered_bits(K key) {
  unsigned long long raw = 0;
  memcpy(&raw, &key, sizeof key);
  constexpr unsigned long long top = 1ull << (8 * sizeof(K) - 1);
  if constexpr (::std::is_integral_v<K>) {
    return K(-1) < K(0) ? raw ^ top : raw;
  } else {
    if (raw == top) raw = 0;
    return raw & top ? ~raw & (top | (top - 1)) : raw | top;
  }
}

/** A stable sort of keys, and of the values that belong to them where there are any. */
template <class Keys, class Values, class Less>
static inline void stable_sort_room(Keys& keys, Values* values, int count, Less less) {
  typedef ::std::decay_t<decltype(keys[0])> K;
  ::std::unique_ptr<int[]> order(new int[size_t(count)]);
  for (int i = 0; i < count; ++i) order[size_t(i)] = i;
  ::std::stable_sort(order.get(), order.get() + count, [&](int a, int b) { return less(keys[a], keys[b]); });
  ::std::unique_ptr<K[]> sorted(new K[size_t(count)]);
  for (int i = 0; i < count; ++i) sorted[size_t(i)] = keys[order[size_t(i)]];
  for (int i = 0; i < count; ++i) keys[i] = sorted[size_t(i)];
  if (!values) return;
  typedef ::std::decay_t<decltype((*values)[0])> V;
  ::std::unique_ptr<V[]> moved(new V[size_t(count)]);
  for (int i = 0; i < count; ++i) moved[size_t(i)] = (*values)[order[size_t(i)]];
  for (int i = 0; i < count; ++i) (*values)[i] = moved[size_t(i)];
}

}  // namespace ks

#endif
