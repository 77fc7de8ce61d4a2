// The storage behind __shared__, and the garbage a kernel finds in it.
#pragma once
#include <cstddef>

namespace ks {

/** Fills the block's dynamic shared memory, which CUDA leaves undefined, with NaN for every floating-point type. */
void poison_dynamic_shared(size_t bytes);

/** False if the block has written behind its dynamic shared memory, rounded up as the hardware allocates it. */
bool dynamic_shared_intact(size_t bytes);

/**
 * Once per OS thread and library: static shared variables are thread-local variables of the candidate's library and
 * would start as zeros. Later blocks find what earlier ones left. Does nothing for null or where the loader hides the
 * segment.
 */
void poison_static_shared(const void* module);

}  // namespace ks
