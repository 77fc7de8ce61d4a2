// Asynchronous copies, done when they are asked for; who waits for them waits for the threads that asked.
#ifndef KS_ASYNC_COPY_H
#define KS_ASYNC_COPY_H
#include "thread_scope.h"

namespace cuda {

/** A number of bytes that is a multiple of an alignment, which source and destination have too. */
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};

}  // namespace cuda

namespace ks {

/** All of it by the first thread of the group. */
template <class Group>
static inline void copy_by(const Group& group, void* to, const void* from, size_t bytes) {
  if (group.thread_rank() == 0) memcpy(to, from, bytes);
}

}  // namespace ks

#endif
