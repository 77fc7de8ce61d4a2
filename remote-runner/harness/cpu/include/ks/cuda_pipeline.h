// cuda::pipeline: stages that producers fill and consumers release, counted for each stage.
#ifndef KS_CUDA_PIPELINE_H
#define KS_CUDA_PIPELINE_H
#include "cuda_barrier.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char Stages>
struct pipeline_shared_state {
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state&) = delete;
  pipeline_shared_state& operator=(const pipeline_shared_state&) = delete;

  /** Commits and releases of each stage since the start. */
  unsigned long long filled[Stages], released[Stages];
  unsigned long long producers, consumers;
};

template <thread_scope Scope>
class pipeline {
 public:
  /** A pipeline of one thread: its copies are complete, it waits for nobody. */
  pipeline() = default;
  template <unsigned char Stages>
  explicit pipeline(pipeline_shared_state<Scope, Stages>& state)
      : filled_(state.filled),
        released_(state.released),
        producers_(&state.producers),
        consumers_(&state.consumers),
        stages_(Stages) {}
  pipeline(pipeline&&) = default;
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  pipeline& operator=(pipeline&&) = default;

  void producer_acquire() {
    if (stages_) wait(&released_[head_ % stages_], *consumers_ * (head_ / stages_));
  }
  void producer_commit() {
    if (stages_) __atomic_add_fetch(&filled_[head_ % stages_], 1, __ATOMIC_ACQ_REL);
    ++head_;
  }
  void consumer_wait() {
    if (stages_) wait(&filled_[tail_ % stages_], *producers_ * (tail_ / stages_ + 1));
  }
  void consumer_release() {
    if (stages_) __atomic_add_fetch(&released_[tail_ % stages_], 1, __ATOMIC_ACQ_REL);
    ++tail_;
  }

 private:
  unsigned long long *filled_ = nullptr, *released_ = nullptr;
  const unsigned long long *producers_ = nullptr, *consumers_ = nullptr;
  unsigned long long stages_ = 0, head_ = 0, tail_ = 0;

  static void wait(const unsigned long long* count, unsigned long long least) {
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < least) ks_yield();
  }
};

static inline pipeline<thread_scope_thread> make_pipeline() { return {}; }

}  // namespace cuda

namespace ks {
template <class Group, ::cuda::thread_scope Scope, unsigned char Stages>
static inline ::cuda::pipeline<Scope> shared_pipeline(const Group& group,
                                                      ::cuda::pipeline_shared_state<Scope, Stages>* state,
                                                      size_t producers, size_t consumers) {
  if (group.thread_rank() == 0) {
    for (unsigned k = 0; k < Stages; ++k) state->filled[k] = state->released[k] = 0;
    state->producers = producers;
    state->consumers = consumers;
  }
  group.sync();
  return ::cuda::pipeline<Scope>(*state);
}
}  // namespace ks

namespace cuda {

template <class Group, thread_scope Scope, unsigned char Stages>
static inline pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state) {
  return ks::shared_pipeline(group, state, group.size(), group.size());
}
/** The first `producers` threads of the group produce, the others consume. */
template <class Group, thread_scope Scope, unsigned char Stages>
static inline pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                            size_t producers) {
  return ks::shared_pipeline(group, state, producers, group.size() - producers);
}
template <class Group, thread_scope Scope, unsigned char Stages>
static inline pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                            pipeline_role role) {
  if (group.thread_rank() == 0) state->producers = 0;
  group.sync();
  if (role == pipeline_role::producer) __atomic_add_fetch(&state->producers, 1, __ATOMIC_ACQ_REL);
  group.sync();
  const size_t producers = state->producers;
  group.sync();
  return ks::shared_pipeline(group, state, producers, group.size() - producers);
}

template <unsigned char Prior>
static inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {}
template <thread_scope Scope, class C>
static inline void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<Scope, C>&) {}

template <class Group, thread_scope Scope>
static inline void memcpy_async(const Group& group, void* to, const void* from, size_t bytes, pipeline<Scope>&) {
  ks::copy_by(group, to, from, bytes);
}
template <thread_scope Scope>
static inline void memcpy_async(void* to, const void* from, size_t bytes, pipeline<Scope>&) {
  memcpy(to, from, bytes);
}

}  // namespace cuda

#endif
