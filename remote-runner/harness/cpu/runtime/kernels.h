// What the runtime knows about single kernels.
#pragma once
#include <cstddef>

namespace ks {

/**
 * How much dynamic shared memory a launch may ask for: what was opted in to, else what static shared memory leaves of
 * 48 KiB. For a kernel that is not known (null) the largest opt-in of the process counts.
 */
size_t allowed_dynamic_shared(const void* kernel);

/** Bytes of the static shared variables that this kernel declares itself; 0 where its library hides them. */
size_t static_shared(const void* kernel);

}  // namespace ks
