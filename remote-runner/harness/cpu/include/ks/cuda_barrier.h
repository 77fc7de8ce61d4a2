// cuda::barrier: a phase ends when as many arrivals as expected have come.
#ifndef KS_CUDA_BARRIER_H
#define KS_CUDA_BARRIER_H
#include "async_copy.h"

namespace ks {
struct NoCompletion {
  void operator()() const noexcept {}
};
}  // namespace ks

namespace cuda {

template <thread_scope Scope, class Completion = ks::NoCompletion>
class barrier {
 public:
  class arrival_token {
   public:
    arrival_token(arrival_token&&) noexcept = default;
    arrival_token& operator=(arrival_token&&) noexcept = default;

   private:
    friend class barrier;
    explicit arrival_token(unsigned phase) : phase_(phase) {}
    unsigned phase_;
  };

  barrier() = default;
  barrier(ptrdiff_t expected, Completion completion = Completion()) { start(expected, completion); }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  static constexpr ptrdiff_t max() noexcept { return (1 << 20) - 1; }

  [[nodiscard]] arrival_token arrive(ptrdiff_t update = 1) {
    const unsigned phase = __atomic_load_n(&phase_, __ATOMIC_ACQUIRE);
    if (__atomic_sub_fetch(&pending_, update, __ATOMIC_ACQ_REL) == 0) {
      completion_();
      __atomic_store_n(&pending_, __atomic_load_n(&expected_, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
      __atomic_store_n(&phase_, phase + 1, __ATOMIC_RELEASE);
    }
    return arrival_token(phase);
  }
  void wait(arrival_token&& token) const {
    while (!ended(token.phase_)) ks_yield();
  }
  void arrive_and_wait() { wait(arrive()); }
  void arrive_and_drop() {
    __atomic_sub_fetch(&expected_, 1, __ATOMIC_ACQ_REL);
    (void)arrive();
  }
  bool try_wait(arrival_token&& token) const {
    if (!ended(token.phase_)) ks_yield();
    return ended(token.phase_);
  }
  /** Phases have the parities 0, 1, 0, …; waits for the end of one of this parity. */
  void wait_parity(bool parity) const {
    while (!try_wait_parity(parity)) {
    }
  }
  bool try_wait_parity(bool parity) const {
    const bool now = __atomic_load_n(&phase_, __ATOMIC_ACQUIRE) & 1u;
    if (now == parity) ks_yield();
    return (__atomic_load_n(&phase_, __ATOMIC_ACQUIRE) & 1u) != unsigned(parity);
  }

  friend void init(barrier* place, ptrdiff_t expected) { place->start(expected, Completion()); }
  friend void init(barrier* place, ptrdiff_t expected, Completion completion) { place->start(expected, completion); }

 private:
  ptrdiff_t expected_, pending_;
  unsigned phase_;
  Completion completion_;

  void start(ptrdiff_t expected, const Completion& completion) {
    expected_ = pending_ = expected;
    phase_ = 0;
    completion_ = completion;
  }
  bool ended(unsigned phase) const { return __atomic_load_n(&phase_, __ATOMIC_ACQUIRE) != phase; }
};

namespace std {
template <class Completion = ks::NoCompletion>
using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}  // namespace std

/** Copies are complete at once, and before whoever asked for them arrives. */
template <class Group, thread_scope Scope, class C>
static inline void memcpy_async(const Group& group, void* to, const void* from, size_t bytes, barrier<Scope, C>&) {
  ks::copy_by(group, to, from, bytes);
}
template <thread_scope Scope, class C>
static inline void memcpy_async(void* to, const void* from, size_t bytes, barrier<Scope, C>&) {
  memcpy(to, from, bytes);
}

}  // namespace cuda

#endif
