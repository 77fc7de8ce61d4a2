// What the symbol table of a candidate's library says.
#pragma once
#include <cstddef>

namespace ks {

/** Bytes of the thread-local variables that the function at this address declares; 0 where there is no symbol table. */
size_t static_variables_of(const void* function);

}  // namespace ks
