// Cooperative groups within a block: the block, static tiles of a warp, coalesced threads. Grids and clusters are
// unsupported.
#ifndef KS_COOPERATIVE_GROUPS_H
#define KS_COOPERATIVE_GROUPS_H
#include "cuda_runtime.h"

namespace cooperative_groups {

class thread_block {
 public:
  void sync(KS_SITE) const { ks_barrier(int(ks::BarrierVote::none), 0, file, line); }
  static unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
static inline thread_block this_thread_block() { return thread_block(); }

namespace details {

/** Lanes of one warp that a mask names, in the order of their lanes. */
class lanes {
 public:
  explicit lanes(unsigned mask) : mask_(mask) {}
  void sync(KS_SITE) const { __syncwarp(mask_, file, line); }
  unsigned thread_rank() const { return unsigned(__popc(mask_ & ((1u << ks::lane()) - 1u))); }
  unsigned num_threads() const { return unsigned(__popc(mask_)); }
  unsigned size() const { return num_threads(); }
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
  T shfl(T value, unsigned rank, KS_SITE) const {
    return from_lane(value, lane_of(rank % num_threads()), file, line);
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
  template <class T>
  T shfl_xor(T value, unsigned lanes, KS_SITE) const {
    const unsigned partner = thread_rank() ^ lanes;
    return from_lane(value, lane_of(partner < num_threads() ? partner : thread_rank()), file, line);
  }

 private:
  unsigned mask_;

  unsigned lane_of(unsigned rank) const {
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

template <unsigned Size, class Parent = thread_block>
class thread_block_tile : public details::lanes {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles of 1, 2, 4, 8, 16 or 32 threads");

 public:
  thread_block_tile() : details::lanes(own_mask()) {}
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return ks::lane() % Size; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static unsigned meta_group_size() { return (thread_block::num_threads() + Size - 1) / Size; }

 private:
  static unsigned own_mask() {
    return (Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1u) << (ks::lane() / Size * Size);
  }
};

template <unsigned Size, class Parent>
static inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}

class coalesced_group : public details::lanes {
 public:
  explicit coalesced_group(unsigned mask) : details::lanes(mask) {}
  static unsigned meta_group_rank() { return 0; }
  static unsigned meta_group_size() { return 1; }
};
static inline coalesced_group coalesced_threads(KS_SITE) { return coalesced_group(__activemask(file, line)); }

/** Any of the groups, where a function takes whichever it is given. */
class thread_group {
 public:
  thread_group(const thread_block&) : is_block_(true), lanes_(0) {}
  thread_group(const details::lanes& lanes) : is_block_(false), lanes_(lanes) {}
  void sync(KS_SITE) const { is_block_ ? thread_block().sync(file, line) : lanes_.sync(file, line); }
  unsigned thread_rank() const { return is_block_ ? thread_block::thread_rank() : lanes_.thread_rank(); }
  unsigned num_threads() const { return is_block_ ? thread_block::num_threads() : lanes_.num_threads(); }
  unsigned size() const { return num_threads(); }

 private:
  bool is_block_;
  details::lanes lanes_;
};
/** Tiles of a size that is known at run time: a power of two up to 32. */
static inline thread_group tiled_partition(const thread_group&, unsigned size) {
  const unsigned own = size >= 32 ? 0xffffffffu : ((1u << size) - 1u) << (ks::lane() / size * size);
  return thread_group(details::lanes(own));
}

template <class Group>
static inline void sync(const Group& group, KS_SITE) {
  group.sync(file, line);
}

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

/** Combined in the order of the ranks: every thread gets the same bits. */
template <class Group, class T, class Op>
static inline T reduce(const Group& group, T value, Op op, KS_SITE) {
  T result = group.shfl(value, 0, file, line);
  for (unsigned rank = 1; rank < group.size(); ++rank) result = op(result, group.shfl(value, rank, file, line));
  return result;
}
template <class Group, class T, class Op>
static inline T inclusive_scan(const Group& group, T value, Op op, KS_SITE) {
  T result = value;
  for (unsigned step = 1; step < group.size(); step *= 2) {
    const T before = group.shfl_up(result, step, file, line);
    if (group.thread_rank() >= step) result = op(before, result);
  }
  return result;
}
template <class Group, class T>
static inline T inclusive_scan(const Group& group, T value, KS_SITE) {
  return inclusive_scan(group, value, plus<T>(), file, line);
}
template <class Group, class T, class Op>
static inline T exclusive_scan(const Group& group, T value, Op op, KS_SITE) {
  const T before = group.shfl_up(inclusive_scan(group, value, op, file, line), 1, file, line);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
static inline T exclusive_scan(const Group& group, T value, KS_SITE) {
  return exclusive_scan(group, value, plus<T>(), file, line);
}

}  // namespace cooperative_groups

#endif
