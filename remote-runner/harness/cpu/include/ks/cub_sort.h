// Sorting in shared memory: the first thread does it while the others wait.
#ifndef KS_CUB_SORT_H
#define KS_CUB_SORT_H
#include <algorithm>

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

/**
 * A stable sort of keys, and of the values that belong to them where there are any. What it needs lies on the thread's stack: memory
 * of the host is none that a kernel may touch.
 */
template <class Keys, class Values, class Less>
static inline void stable_sort_room(Keys& keys, Values* values, int count, Less less) {
  int* const order = static_cast<int*>(__builtin_alloca(size_t(count) * sizeof(int)));
  for (int i = 0; i < count; ++i) order[i] = i;
  ::std::sort(order, order + count, [&](int a, int b) {
    if (less(keys[a], keys[b])) return true;
    return a < b && !less(keys[b], keys[a]);
  });
  // Cycle by cycle, each place takes what its order names.
  const auto permute = [&](auto& room, int start) {
    const auto saved = room[start];
    int at = start;
    for (; order[at] != start; at = order[at]) room[at] = room[order[at]];
    room[at] = saved;
  };
  for (int i = 0; i < count; ++i) {
    if (order[i] == i) continue;
    permute(keys, i);
    if (values) permute(*values, i);
    for (int at = i; order[at] != at;) {
      const int next = order[at];
      order[at] = at;
      at = next;
    }
  }
}

}  // namespace ks

#endif
