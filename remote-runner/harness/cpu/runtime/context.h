// Switching between stacks: hand-written for x86-64 and aarch64, ucontext elsewhere.
#pragma once
#include <cstddef>

namespace ks {

/** A suspended flow of execution. Empty until prepare() or the first switch away from it. */
struct Context {
  void* state = nullptr;
};

/** Lets `context` start in `entry` (which never returns) on the stack that ends at `top`. */
void prepare(Context& context, char* base, char* top, void (*entry)());

/** Saves the caller in `from` and continues `to`. Floating-point control state is left alone. */
void switch_to(Context& from, Context& to);

}  // namespace ks
