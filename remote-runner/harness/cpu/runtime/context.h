// Switching between stacks: hand-written for x86-64 and aarch64, ucontext elsewhere.
#pragma once
#include <cstddef>

namespace ks {

/** A suspended flow of execution. Empty until prepare(), guard() or the first switch away from it. */
struct Context {
  void* state = nullptr;
};

/**
 * Lets `context` start in `entry` (which never returns) on the stack that ends at `top`, with the default
 * floating-point control state. May be called again for a flow that will never be resumed.
 */
void prepare(Context& context, char* base, char* top, void (*entry)());

/**
 * Saves the caller in `from` and continues `to`, each with its callee-saved registers and its floating-point control
 * state (rounding, subnormals, exceptions): what one flow sets, no other sees.
 */
void switch_to(Context& from, Context& to);

/** Calls function(argument). Until it returns, switching to `context` ends the call without unwinding its frames. */
void guard(Context& context, void (*function)(void*), void* argument);

/** Gives the calling OS thread the default floating-point control state, and its own back at the end of the scope. */
class DefaultFloatControl {
 public:
  DefaultFloatControl();
  ~DefaultFloatControl();
  DefaultFloatControl(const DefaultFloatControl&) = delete;
  DefaultFloatControl& operator=(const DefaultFloatControl&) = delete;
  /** Undoes what a kernel may have set. */
  static void reset();

 private:
  unsigned long long saved_;
};

}  // namespace ks
