// Strict mode: what the runtime, the host program and the instrumented code of a candidate tell the checkers.
//
// The candidate is compiled with -fsanitize=thread, so that every access of its code calls __tsan_read4 and its like, and
// with parts of -fsanitize=undefined; both sets of functions are ours (strict_hooks.cpp, strict_undefined.cpp). Each access
// in a kernel is looked up: shared memory has a shadow that knows who touched a byte last and what orders him
// (strict_shared.cpp, strict_order.cpp), device memory lies between guards (strict_memory.cpp).
#pragma once
#include <cstddef>
#include <cstdint>

#include "../include/ks/abi.h"

// ── for harness/sanitized.cpp ──
extern "C" {
/** Before any launch: an address inside the candidate's library, and where findings go, a line each. */
KS_EXPORT void ks_strict_open(const void* in_library, int descriptor);
/**
 * A variable of the library, from its symbol table. `kind` is `s` for a shared variable (offset in the thread-local
 * segment), `i` for a thread-local one that is none, `g` for a global one (offset from where the library is loaded).
 */
KS_EXPORT void ks_strict_object(char kind, size_t offset, size_t bytes, const char* name);
/** What to call an allocation. */
KS_EXPORT void ks_strict_name(const void* allocation, const char* name);
}

namespace ks {
namespace strict {

// ── for the rest of the runtime, where strict mode is on ──
/** Since ks_strict_open. */
extern bool is_on;

/** Page-aligned memory between guards, or null. @param is_device whether it is none of the host's */
void* reserve(size_t bytes, bool is_device);
/** False if it is none of reserve's. */
bool unreserve(void* memory);
/** Memory of the host that kernels may use from now on. */
void begin_host_memory(void* memory, size_t bytes);
void end_host_memory(void* memory);
/** On the launching thread, with no block running: what kernels may read besides device memory. */
void begin_launch(const void* closure, size_t bytes);
/** On the OS thread that runs it; blockIdx and blockDim are set, shared memory is not. */
void begin_block(size_t dynamic_bytes);
void end_block();
/** All threads of the block that have not exited have arrived. */
void barrier();
/** These lanes of a warp have arrived at one warp function. */
void warp_barrier(unsigned warp, unsigned lanes);

// ── among the checkers ──
enum class Access : unsigned char {
  read,
  write,
  /** Reads and writes. */
  atomic,
  atomic_read,
  atomic_write
};

/** One access as it is about to happen. */
struct Op {
  uintptr_t address;
  size_t bytes;
  Access access;
  bool is_volatile;
  /** In the candidate's code. */
  uintptr_t pc;

  bool reads() const { return access != Access::write && access != Access::atomic_write; }
  bool writes() const { return access != Access::read && access != Access::atomic_read; }
  bool is_atomic() const { return access != Access::read && access != Access::write; }
  const char* verb() const { return is_atomic() ? "changes" : reads() ? "reads" : "writes"; }
};

/** The state of the OS thread that runs a block. */
struct Running {
  bool active = false;
  /** The OS thread's own stack. */
  uintptr_t stack_low = 0, stack_high = 0;
  /** The library's thread-local segment on this OS thread. */
  uintptr_t shared_base = 0;
  size_t shared_bytes = 0, dynamic_bytes = 0;
};
extern thread_local Running running __attribute__((tls_model("initial-exec")));

void check_static_shared(const Op& op);
void check_dynamic_shared(const Op& op);
/** Anything that is neither shared memory nor the thread's own stack. */
void check_memory(const Op& op);
/** An access of host code: a host that uses device memory works here, and dies of it beside a GPU. */
void check_host(const Op& op);
/** An atomic operation, a fence, or a volatile access: orders this thread after all that did one before. */
void synchronise();

/** True if what thread `other` did at `clock` of `epoch` happens before what the current thread does now. */
bool ordered(unsigned current, unsigned other, unsigned clock, unsigned epoch);
unsigned epoch();
unsigned first_epoch_of_block();
unsigned clock_of(unsigned thread);
void order_begin_block();

/** A variable of the library. `start` is an offset in the thread-local segment, or an address. */
struct Object {
  uintptr_t start;
  size_t bytes;
  const char* name;
  bool is_shared;
};
/** What ks_strict_open and ks_strict_object tell each of the checkers. */
void open_reports(int descriptor, uintptr_t library_base);
void open_segment(size_t module, uintptr_t library_base);
void add_global(size_t offset, size_t bytes, const char* name);
void find_segment();
/** Of the calling OS thread. */
void find_stack(uintptr_t* low, uintptr_t* high);
void shared_begin_block();
void shared_end_block();

struct Report {
  const char* code;
  /** Addresses in the library, 0 for none; `%1` and `%2` in the text stand for their places. */
  uintptr_t first = 0, second = 0;
  /** A place that the compiler wrote down. */
  const char* file = nullptr;
  unsigned line = 0, column = 0;
};
/** Writes it once for each code and pair of places. */
void report(const Report& what, const char* format, ...) __attribute__((format(printf, 2, 3)));
/** Reports it, and gives up the kernel as a GPU would. */
[[noreturn]] void stop(int error);
/** `thread (1,2,3)` of a number in the block; the text lives until the next few calls. */
const char* thread_name(unsigned linear);

}  // namespace strict
}  // namespace ks
