// The loop over the threads of a block that have not started yet, a row at a time.
#ifndef KS_THREADS_H
#define KS_THREADS_H
#include "abi.h"

namespace ks {

/** @param thread runs the thread that threadIdx names, and those after it in the block if it likes (free.h) */
template <class Thread>
__attribute__((always_inline)) inline void each_thread(const Thread& thread) {
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

}  // namespace ks

#endif
