// The loop over the threads of a block that have not started yet, a row at a time.
#ifndef KS_THREADS_H
#define KS_THREADS_H
#include "abi.h"

namespace ks {

#if defined(KS_OWN_THREAD_VARIABLES)

/** @param thread runs the thread that threadIdx names; @param other does too, out of this loop, for rows it cannot take */
template <class Thread, class Other>
__attribute__((always_inline)) inline void each_thread(const Thread& thread, const Other& other) {
  blockIdx = ks_runtime_blockIdx;
  blockDim = ks_runtime_blockDim;
  gridDim = ks_runtime_gridDim;
  while (ks_next_thread.x < blockDim.x || ks_next_row()) {
    threadIdx.y = ks_next_thread.y;
    threadIdx.z = ks_next_thread.z;
    const unsigned first = blockIdx.x * blockDim.x, width = blockDim.x;
    if (ks_next_thread.x != 0 || first > 0x7ffffbffu || width > 1024u) {
      threadIdx.x = ks_next_thread.x++;
      ks_claim = Claim::lost;
      other();
      continue;
    }
    ks_next_thread.x = width;
    ks_claim = Claim::held;
    // GCC vectorises this because of how it is written: from the bound of `global`, a signed number, it concludes that
    // blockIdx.x * blockDim.x + threadIdx.x does not wrap as an int, from the check above that it is not negative.
    unsigned x = 0;
    int global = int(first) - 1;
    const int last = int(first) + int(width) - 1;
    do {
      threadIdx.x = x;
      thread();
      ++x;
    } while (++global < last && ks_claim == Claim::held);
    threadIdx.x = 0;  // what it was last is of no interest
  }
}

#else

/** @param thread runs the thread that threadIdx names */
template <class Thread, class Other>
__attribute__((always_inline)) inline void each_thread(const Thread& thread, const Other&) {
  while (ks_next_thread.x < blockDim.x || ks_next_row()) {
    unsigned x = ks_next_thread.x;
    const unsigned end = blockDim.x;
    threadIdx.y = ks_next_thread.y;
    threadIdx.z = ks_next_thread.z;
    ks_next_thread.x = end;
    ks_claim = Claim::held;
    do {
      threadIdx.x = x;
      thread();
    } while (++x < end && ks_claim == Claim::held);
  }
}

#endif

}  // namespace ks

#endif
