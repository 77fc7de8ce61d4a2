// Barriers, warp collectives, fences and the block-level intrinsics, on top of the runtime's rendezvous.
#ifndef KS_SYNC_H
#define KS_SYNC_H
#include <string.h>

#include "language.h"

static inline void __syncthreads(KS_SITE) { ks_barrier(int(ks::BarrierVote::none), 0, file, line); }
static inline int __syncthreads_count(int predicate, KS_SITE) {
  return ks_barrier(int(ks::BarrierVote::count), predicate != 0, file, line);
}
static inline int __syncthreads_and(int predicate, KS_SITE) {
  return ks_barrier(int(ks::BarrierVote::all), predicate != 0, file, line);
}
static inline int __syncthreads_or(int predicate, KS_SITE) {
  return ks_barrier(int(ks::BarrierVote::any), predicate != 0, file, line);
}
static inline void __barrier_sync(unsigned, KS_SITE) { ks_barrier(int(ks::BarrierVote::none), 0, file, line); }

namespace ks {

template <class To, class From>
static inline To bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "bits() copies between types of one size");
  To to;
  memcpy(&to, &value, sizeof to);
  return to;
}
template <class T>
static inline unsigned long long pack(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  unsigned long long raw = 0;
  memcpy(&raw, &value, sizeof value);
  return raw;
}
template <class T>
static inline T unpack(unsigned long long raw) {
  T value;
  memcpy(&value, &raw, sizeof value);
  return value;
}
template <class T>
static inline T exchange(Collective kind, unsigned mask, T value, int argument, int width, const char* file,
                         unsigned line) {
  return unpack<T>(ks_collective(int(kind), mask, pack(value), argument, width, file, line));
}
static inline unsigned vote(Collective kind, unsigned mask, unsigned long long value, const char* file, unsigned line) {
  return unsigned(ks_collective(int(kind), mask, value, 0, 32, file, line));
}
static inline unsigned lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u; }

}  // namespace ks

static inline void __syncwarp(unsigned mask = 0xffffffffu, KS_SITE) {
  ks::vote(ks::Collective::sync, mask, 0, file, line);
}
static inline unsigned __activemask(KS_SITE) { return ks_activemask(file, line); }
static inline unsigned __ballot_sync(unsigned mask, int predicate, KS_SITE) {
  return ks::vote(ks::Collective::ballot, mask, predicate != 0, file, line);
}
static inline int __all_sync(unsigned mask, int predicate, KS_SITE) {
  return int(ks::vote(ks::Collective::all, mask, predicate != 0, file, line));
}
static inline int __any_sync(unsigned mask, int predicate, KS_SITE) {
  return int(ks::vote(ks::Collective::any, mask, predicate != 0, file, line));
}

#define KS_SHUFFLES(T)                                                                                \
  static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32, KS_SITE) {            \
    return ks::exchange(ks::Collective::shfl_idx, mask, value, lane, width, file, line);              \
  }                                                                                                   \
  static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, KS_SITE) {   \
    return ks::exchange(ks::Collective::shfl_up, mask, value, int(delta), width, file, line);         \
  }                                                                                                   \
  static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, KS_SITE) { \
    return ks::exchange(ks::Collective::shfl_down, mask, value, int(delta), width, file, line);       \
  }                                                                                                   \
  static inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, KS_SITE) {       \
    return ks::exchange(ks::Collective::shfl_xor, mask, value, lanes, width, file, line);             \
  }
KS_SHUFFLES(int)
KS_SHUFFLES(unsigned int)
KS_SHUFFLES(long)
KS_SHUFFLES(unsigned long)
KS_SHUFFLES(long long)
KS_SHUFFLES(unsigned long long)
KS_SHUFFLES(float)
KS_SHUFFLES(double)

#define KS_MATCHES(T)                                                                        \
  static inline unsigned __match_any_sync(unsigned mask, T value, KS_SITE) {                 \
    return ks::vote(ks::Collective::match_any, mask, ks::pack(value), file, line);           \
  }                                                                                          \
  static inline unsigned __match_all_sync(unsigned mask, T value, int* predicate, KS_SITE) { \
    unsigned same = ks::vote(ks::Collective::match_all, mask, ks::pack(value), file, line);  \
    *predicate = same != 0;                                                                  \
    return same;                                                                             \
  }
KS_MATCHES(int)
KS_MATCHES(unsigned int)
KS_MATCHES(long)
KS_MATCHES(unsigned long)
KS_MATCHES(long long)
KS_MATCHES(unsigned long long)
KS_MATCHES(float)
KS_MATCHES(double)
#undef KS_MATCHES

#define KS_REDUCE(NAME, T, KIND)                                                 \
  static inline T __reduce_##NAME##_sync(unsigned mask, T value, KS_SITE) {      \
    return T(ks::vote(ks::Collective::KIND, mask, unsigned(value), file, line)); \
  }
KS_REDUCE(add, unsigned, add_unsigned)
KS_REDUCE(add, int, add_unsigned)
KS_REDUCE(min, unsigned, min_unsigned)
KS_REDUCE(min, int, min_signed)
KS_REDUCE(max, unsigned, max_unsigned)
KS_REDUCE(max, int, max_signed)
KS_REDUCE(and, unsigned, bit_and)
KS_REDUCE(or, unsigned, bit_or)
KS_REDUCE(xor, unsigned, bit_xor)
#undef KS_REDUCE

namespace ks {
/** A thread that polls for another one must let it run: fibres are not preempted. */
static inline void poll() {
  if ((++ks_polls & 1023u) == 0) ks_yield();
}
/** Counts the turns of a loop that does nothing but wait: every so often others run, and one that cannot end is told. */
class Spin {
 public:
  void operator()(KS_SITE) {
    if ((++turns_ & 1023u) == 0) ks_spin(turns_ == 1024u, file, line);
  }

 private:
  unsigned turns_ = 0;
};
/** Where warp-synchronous code relies on its lanes running in step: those that are here wait for each other. */
static inline void lockstep(KS_SITE) { ks_lockstep(file, line); }
template <class T>
static inline T lockstep(T value, KS_SITE) {
  ks_lockstep(file, line);
  return value;
}
}  // namespace ks

static inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  ks::poll();
}
static inline void __threadfence_block() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  ks::poll();
}
static inline void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  ks::poll();
}
static inline void __nanosleep(unsigned) { ks_yield(); }
[[noreturn]] static inline void __trap() { ks_trap(); }
static inline void __brkpt() {}

#endif
