// Cooperative groups within a block: the block, tiles of up to a warp, coalesced threads and their partitions. A grid can be
// asked for its shape; synchronising grids, and clusters, are unsupported.
#ifndef KS_COOPERATIVE_GROUPS_H
#define KS_COOPERATIVE_GROUPS_H
#include "ks/groups.h"

namespace cooperative_groups {

class thread_block {
 public:
  struct arrival_token {};
  static void sync(KS_SITE) { ks_barrier(int(ks::BarrierVote::none), 0, file, line); }
  /** Whoever arrives must wait, so the wait may stand for both. */
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token&&, KS_SITE) { sync(file, line); }
  static unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
static inline thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  static bool is_valid() { return false; }
  static unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned long long size() { return num_threads(); }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return dim3(blockIdx); }
};
static inline grid_group this_grid() { return grid_group(); }

template <unsigned Size, class Parent = void>
class thread_block_tile : public details::lanes {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "the CPU target has tiles of 1, 2, 4, 8, 16 or 32 threads");

 public:
  thread_block_tile(unsigned meta_rank, unsigned meta_size) : details::lanes(own_mask(), meta_rank, meta_size) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>& other) : details::lanes(other) {}
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return ks::lane() % Size; }
  template <class T>
  T shfl_xor(T value, unsigned bits, KS_SITE) const {
    const unsigned partner = thread_rank() ^ bits;
    return from_lane(value, lane_of(partner < Size ? partner : thread_rank()), file, line);
  }

 private:
  static unsigned own_mask() {
    return (Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1u) << (ks::lane() / Size * Size);
  }
};

class coalesced_group : public details::lanes {
 public:
  using details::lanes::lanes;
};
static inline coalesced_group coalesced_threads(KS_SITE) { return coalesced_group(__activemask(file, line)); }

/** Any of the groups, where a function takes whichever it is given. */
class thread_group {
 public:
  thread_group(const thread_block&) : is_block_(true), lanes_(0) {}
  thread_group(const details::lanes& lanes) : is_block_(false), lanes_(lanes) {}
  void sync(KS_SITE) const { is_block_ ? thread_block::sync(file, line) : lanes_.sync(file, line); }
  unsigned thread_rank() const { return is_block_ ? thread_block::thread_rank() : lanes_.thread_rank(); }
  unsigned num_threads() const { return is_block_ ? thread_block::num_threads() : lanes_.num_threads(); }
  unsigned size() const { return num_threads(); }
  bool ks_is_block() const { return is_block_; }
  const details::lanes& ks_lanes() const { return lanes_; }

 private:
  bool is_block_;
  details::lanes lanes_;
};

template <unsigned Size, class Parent>
static inline thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<Size, Parent>(unsigned(parent.thread_rank()) / Size,
                                         (unsigned(parent.size()) + Size - 1) / Size);
}
/** Members of equal rank / size; the size is a power of two up to 32. */
static inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  const unsigned rank = parent.thread_rank() / size;
  unsigned mask = 0, place = 0;
  for (unsigned left = parent.ks_mask(); left; left &= left - 1u, ++place)
    if (place / size == rank) mask |= left & (0u - left);
  return coalesced_group(mask, rank, (parent.size() + size - 1) / size);
}
static inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  if (!parent.ks_is_block()) return tiled_partition(coalesced_group(parent.ks_lanes().ks_mask()), size);
  const unsigned mask = size >= 32 ? 0xffffffffu : ((1u << size) - 1u) << (ks::lane() / size * size);
  return thread_group(details::lanes(mask, parent.thread_rank() / size, (parent.size() + size - 1) / size));
}

/** Threads for which the predicate holds, and the others. */
static inline coalesced_group binary_partition(const details::lanes& parent, bool predicate, KS_SITE) {
  const unsigned mask = parent.ks_mask(), holds = __ballot_sync(mask, predicate, file, line);
  if (holds == 0 || holds == mask) return coalesced_group(mask);
  return coalesced_group(predicate ? holds : mask & ~holds, predicate, 2);
}
/** Threads of equal labels, numbered in the order of their first lanes. */
template <class T>
static inline coalesced_group labeled_partition(const details::lanes& parent, T label, KS_SITE) {
  if constexpr (::std::is_same_v<T, bool>) {
    return binary_partition(parent, label, file, line);
  } else {
    unsigned same;
    if constexpr (::std::is_pointer_v<T>) {
      same = __match_any_sync(parent.ks_mask(), reinterpret_cast<unsigned long long>(label), file, line);
    } else if constexpr (sizeof(T) <= 4) {
      same = __match_any_sync(parent.ks_mask(), unsigned(label), file, line);
    } else {
      same = __match_any_sync(parent.ks_mask(), (unsigned long long)label, file, line);
    }
    const unsigned first = same & (0u - same);
    const unsigned firsts = __ballot_sync(parent.ks_mask(), first == 1u << ks::lane(), file, line);
    return coalesced_group(same, unsigned(__popc(firsts & (first - 1u))), unsigned(__popc(firsts)));
  }
}

template <class Group>
static inline void sync(const Group& group, KS_SITE) {
  group.sync(file, line);
}
template <class Group>
static inline auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
static inline auto group_size(const Group& group) {
  return group.size();
}

/** One thread of the group calls; which one is open, here it is the first. */
template <class Group, class F, class... A>
static inline void invoke_one(const Group& group, F&& f, A&&... arguments) {
  if (group.thread_rank() == 0) f(static_cast<A&&>(arguments)...);
}
template <class Group, class F, class... A>
static inline auto invoke_one_broadcast(const Group& group, F&& f, A&&... arguments) {
  ::std::decay_t<decltype(f(static_cast<A&&>(arguments)...))> result{};
  if (group.thread_rank() == 0) result = f(static_cast<A&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#endif
