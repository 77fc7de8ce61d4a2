// Lanes of one warp as a group: what tiles and coalesced threads have in common.
#ifndef KS_GROUPS_H
#define KS_GROUPS_H
#include "../cuda_runtime.h"

namespace cooperative_groups {
namespace details {

/** Lanes of one warp that a mask names, in the order of their lanes. */
class lanes {
 public:
  explicit lanes(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  void sync(KS_SITE) const { __syncwarp(mask_, file, line); }
  unsigned thread_rank() const { return unsigned(__popc(mask_ & ((1u << ks::lane()) - 1u))); }
  unsigned num_threads() const { return unsigned(__popc(mask_)); }
  unsigned size() const { return num_threads(); }
  /** Which of the groups that its parent was parted into this is, and how many there are. */
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  int any(int predicate, KS_SITE) const { return __any_sync(mask_, predicate, file, line); }
  int all(int predicate, KS_SITE) const { return __all_sync(mask_, predicate, file, line); }
  unsigned ballot(int predicate, KS_SITE) const { return packed(__ballot_sync(mask_, predicate, file, line)); }
  template <class T>
  unsigned match_any(T value, KS_SITE) const {
    return packed(__match_any_sync(mask_, value, file, line));
  }
  template <class T>
  unsigned match_all(T value, int& predicate, KS_SITE) const {
    return packed(__match_all_sync(mask_, value, &predicate, file, line));
  }
  template <class T>
  T shfl(T value, int rank, KS_SITE) const {
    return from_lane(value, lane_of(unsigned(rank) % num_threads()), file, line);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, KS_SITE) const {
    const unsigned rank = thread_rank();
    return from_lane(value, lane_of(rank >= delta ? rank - delta : rank), file, line);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, KS_SITE) const {
    const unsigned rank = thread_rank();
    return from_lane(value, lane_of(rank + delta < num_threads() ? rank + delta : rank), file, line);
  }
  unsigned ks_mask() const { return mask_; }

 protected:
  unsigned mask_, meta_rank_, meta_size_;

  unsigned lane_of(unsigned rank) const {
    const unsigned first = unsigned(__builtin_ctz(mask_)), shifted = mask_ >> first;
    if ((shifted & (shifted + 1u)) == 0) return first + rank;  // without gaps
    unsigned left = mask_;
    while (rank--) left &= left - 1u;
    return unsigned(__builtin_ctz(left));
  }
  /** Bits of lanes as bits of ranks. */
  unsigned packed(unsigned lane_bits) const {
    unsigned result = 0, rank = 0;
    for (unsigned left = mask_; left; left &= left - 1u, ++rank)
      result |= (lane_bits >> __builtin_ctz(left) & 1u) << rank;
    return result;
  }
  /** Any trivially copyable type, eight bytes at a time. */
  template <class T>
  T from_lane(const T& value, unsigned lane, const char* file, unsigned line) const {
    T result;
    for (size_t at = 0; at < sizeof(T); at += 8) {
      const size_t n = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
      unsigned long long word = 0;
      memcpy(&word, reinterpret_cast<const char*>(&value) + at, n);
      word = ks::exchange(ks::Collective::shfl_idx, mask_, word, int(lane), 32, file, line);
      memcpy(reinterpret_cast<char*>(&result) + at, &word, n);
    }
    return result;
  }
};

}  // namespace details
}  // namespace cooperative_groups

#endif
