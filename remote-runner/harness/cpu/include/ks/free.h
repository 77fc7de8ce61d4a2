// Kernels whose threads never wait for each other, nor ask the runtime which of them they are, run as loops inside of themselves. The
// rewriter turns `{ BODY }` into `{ KS_FREE_KERNEL { BODY }; KS_FREE_RUN(KIND) }`, and conditions at the head of BODY that say whether
// a thread does anything into KS_OUTSIDE(…) and its like: they are asked for a whole row at a time, so that the loop over those
// that pass has none. A compiler then sees what it would see of loops written by hand, and can vectorise them.
#ifndef KS_FREE_H
#define KS_FREE_H
#include "abi.h"
#include "kept.h"

#define KS_FREE_KERNEL                                           \
  const uint3 blockIdx = ::blockIdx;                             \
  const dim3 blockDim = ::blockDim, gridDim = ::gridDim;         \
  (void)gridDim;                                                 \
  const auto ks_thread = [&](auto ks_phase, const uint3 threadIdx) __attribute__((always_inline))
#define KS_FREE_RUN(KIND) ::ks::run_free<::ks::Guards::KIND>(ks_thread, blockIdx, blockDim);
/** A parameter that a thread changes is its own. */
#define KS_OWN_PARAMETER(NAME)                                                \
  ::ks::Kept<std::decay_t<decltype(ks_outer_##NAME)>> ks_own_##NAME(ks_outer_##NAME); \
  auto& NAME = ks_own_##NAME.get();

/** A condition under which a thread returns, the last such one, and one under which it does all that is left. */
#define KS_OUTSIDE(...) (ks_phase.asks && (__VA_ARGS__))
#define KS_OUTSIDE_LAST(...) (ks_phase.asks && ((__VA_ARGS__) || ks_phase.passes()))
#define KS_INSIDE(...) (!ks_phase.asks || ((__VA_ARGS__) && !ks_phase.passes()))
/** The condition of a loop whose INDEX grows by BY: of its many turns, the one whose turn it is. */
#define KS_TURN(INDEX, BY, ...) (ks_phase.advance(INDEX, BY) && KS_INSIDE(__VA_ARGS__))

namespace ks {

enum class Guards {
  unguarded,
  guarded,
  strided
};

/** A thread runs as far as its guards, and leaves whether it passes them. */
struct Asking {
  static constexpr bool asks = true;
  unsigned turn;
  unsigned* active;

  bool passes() const {
    *active = 1;
    return true;
  }
  /** False where a loop would not have got there: the index does not fit its type. */
  template <class Index>
  bool advance(Index& index, long long by) const {
    if constexpr (sizeof(Index) < sizeof by) {
      const long long there = (long long)index + turn * by;
      index = Index(there);
      return (long long)index == there;
    } else {
      // Beyond 2^62 nothing can be indexed; there only the first turn is run.
      const bool isNear = turn == 0 || ((unsigned long long)index < 1ull << 62 && (unsigned long long)by < 1ull << 40);
      index += Index(turn) * Index(by);
      return isNear;
    }
  }
};

/** A thread that has passed its guards runs what they guard. */
struct Running {
  static constexpr bool asks = false;
  unsigned turn;

  bool passes() const { return true; }
  template <class Index>
  bool advance(Index& index, long long by) const {
    index += Index(turn * by);
    return true;
  }
};

/** Threads `from` to `end` - 1 of a row. @param first number of the row's first thread in its row of the grid */
template <class Thread>
__attribute__((always_inline)) inline void run_part(const Thread& thread, const Running phase, unsigned from, unsigned end,
                                                    unsigned y, unsigned z, unsigned first) {
  // GCC vectorises this because of how it is written: from the bound of `global`, a signed number, it concludes that
  // blockIdx.x * blockDim.x + threadIdx.x does not wrap.
  if (from > 1023u || first > 0x7ffffbffu) __builtin_unreachable();
  unsigned x = 0;
  int global = int(first + from) - 1;
  const int last = int(first + end) - 1;
  do {
    thread(phase, uint3{from + x, y, z});
    ++x;
  } while (++global < last);
}

template <Guards Kind, class Thread>
__attribute__((always_inline)) inline void run_row(const Thread& thread, unsigned from, unsigned end, unsigned y, unsigned z,
                                                   unsigned first) {
  if constexpr (Kind == Guards::unguarded) {
    run_part(thread, Running{0}, from, end, y, z, first);
  } else {
    unsigned active[1024];
    for (unsigned turn = 0;; ++turn) {
      unsigned count = 0;
      for (unsigned x = from; x < end; ++x) {
        unsigned is = 0;
        thread(Asking{turn, &is}, uint3{x, y, z});
        if (Kind == Guards::strided && turn > 0) is &= active[x];
        active[x] = is;
        count += is;
        __asm__ volatile("");  // to vectorise this loop too takes longer to compile than it saves
      }
      for (unsigned x = from, stop = end; count > 0 && x < end; x = stop, stop = end) {
        if (count < end - from) {
          while (x < end && !active[x]) ++x;
          if (x == end) break;
          for (stop = x + 1; stop < end && active[stop];) ++stop;
        }
        run_part(thread, Running{turn}, x, stop, y, z, first);
      }
      if (Kind == Guards::guarded || count == 0) return;
    }
  }
}

/** The thread that threadIdx names alone: of a row whose threads have numbers beyond an int. */
template <Guards Kind, class Thread>
__attribute__((noinline, cold)) void run_one(const Thread& thread) {
  for (unsigned turn = 0;; ++turn) {
    unsigned active = Kind == Guards::unguarded;
    if (Kind != Guards::unguarded) thread(Asking{turn, &active}, ::threadIdx);
    if (active) thread(Running{turn}, ::threadIdx);
    if (Kind != Guards::strided || !active) return;
  }
}

/** Runs the thread that threadIdx names, and all after it in the block that are its fibre's to start. */
template <Guards Kind, class Thread>
__attribute__((always_inline)) inline void run_free(const Thread& thread, const uint3 blockIdx, const dim3 blockDim) {
  const unsigned first = blockIdx.x * blockDim.x;
  if (ks_claim != Claim::held || first > 0x7ffffbffu) return run_one<Kind>(thread);
  ks_claim = Claim::lost;
  ks_next_thread = {blockDim.x, blockDim.y, blockDim.z};
  unsigned x = ::threadIdx.x, y = ::threadIdx.y;
  for (unsigned z = ::threadIdx.z; z < blockDim.z; ++z, y = 0) {
    for (; y < blockDim.y; ++y, x = 0) run_row<Kind>(thread, x, blockDim.x, y, z, first);
  }
}

}  // namespace ks

#endif
