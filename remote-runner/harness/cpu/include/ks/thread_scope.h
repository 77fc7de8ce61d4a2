// Scopes and orders of cuda::. Every scope is the machine here, and every order at least as strong as the one asked for.
#ifndef KS_THREAD_SCOPE_H
#define KS_THREAD_SCOPE_H
#include <atomic>

#include "../cuda_runtime.h"
#include "cuda_std.h"

namespace cuda {

enum thread_scope { thread_scope_system = 0, thread_scope_device = 1, thread_scope_block = 2, thread_scope_thread = 10 };

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

static inline void atomic_thread_fence(memory_order order, thread_scope = thread_scope_system) {
  ::std::atomic_thread_fence(order);
  ks::poll();
}
static inline void atomic_signal_fence(memory_order order) { ::std::atomic_signal_fence(order); }

}  // namespace cuda

#endif
