// __pipeline_*: asynchronous copies of one thread, complete when they are asked for.
#ifndef KS_CUDA_PIPELINE_PRIMITIVES_H
#define KS_CUDA_PIPELINE_PRIMITIVES_H
#include "cuda_runtime.h"

/** Copies 4, 8 or 16 bytes, the last `zeros` of which are filled with zeros instead. */
static inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  memcpy(to, from, bytes - zeros);
  memset(static_cast<char*>(to) + (bytes - zeros), 0, zeros);
}
static inline void __pipeline_commit() {}
static inline void __pipeline_wait_prior(size_t) {}

#endif
