// The size of the memory that stands for the device's.
#pragma once
#include <cstddef>

namespace ks {

/** Bytes: half of the machine's. */
size_t total_memory();

}  // namespace ks
