// What -fsanitize=thread makes the candidate's code call, in our place of the sanitizer's own library.
#include <cstring>

#include "block.h"
#include "strict.h"

namespace ks {

namespace strict {
namespace {

inline void check(const volatile void* address, size_t bytes, Access access, bool is_volatile, void* pc) {
  const Running& r = running;
  const uintptr_t a = reinterpret_cast<uintptr_t>(address);
  // The call's own line, not that of what follows it.
  const Op op{a, bytes, access, is_volatile, reinterpret_cast<uintptr_t>(pc) - 1};
  if (!r.active) return check_host(op);
  // Shared memory first: an OS thread's own stack and its thread-local variables may lie in one piece.
  if (a - uintptr_t(ks_dynamic_shared) < max_shared) return check_dynamic_shared(op);
  if (a - r.shared_base < r.shared_bytes) return check_static_shared(op);
  const Fibre& fibre = BlockRunner::current()->fibre();
  const uintptr_t low = fibre.base ? uintptr_t(fibre.base) : r.stack_low;
  const uintptr_t high = fibre.base ? uintptr_t(fibre.top) : r.stack_high;
  if (a - low >= high - low) check_memory(op);
}

void check_range(const void* address, size_t bytes, Access access, void* pc) {
  if (bytes) check(address, bytes, access, false, pc);
}

}  // namespace
}  // namespace strict
}  // namespace ks

using ks::strict::Access;
using ks::strict::check;
using ks::strict::check_range;

#define KS_PC __builtin_return_address(0)
#define KS_HOOK extern "C" KS_EXPORT

#define KS_ACCESSES(N)                                                                                  \
  KS_HOOK void __tsan_read##N(void* p) { check(p, N, Access::read, false, KS_PC); }                     \
  KS_HOOK void __tsan_write##N(void* p) { check(p, N, Access::write, false, KS_PC); }                   \
  KS_HOOK void __tsan_unaligned_read##N(void* p) { check(p, N, Access::read, false, KS_PC); }           \
  KS_HOOK void __tsan_unaligned_write##N(void* p) { check(p, N, Access::write, false, KS_PC); }         \
  KS_HOOK void __tsan_volatile_read##N(void* p) { check(p, N, Access::read, true, KS_PC); }             \
  KS_HOOK void __tsan_volatile_write##N(void* p) { check(p, N, Access::write, true, KS_PC); }           \
  KS_HOOK void __tsan_unaligned_volatile_read##N(void* p) { check(p, N, Access::read, true, KS_PC); }   \
  KS_HOOK void __tsan_unaligned_volatile_write##N(void* p) { check(p, N, Access::write, true, KS_PC); } \
  KS_HOOK void __tsan_read_write##N(void* p) {                                                          \
    check(p, N, Access::read, false, KS_PC);                                                            \
    check(p, N, Access::write, false, KS_PC);                                                           \
  }
KS_ACCESSES(1)
KS_ACCESSES(2)
KS_ACCESSES(4)
KS_ACCESSES(8)
KS_ACCESSES(16)

KS_HOOK void __tsan_read_range(void* p, size_t n) { check_range(p, n, Access::read, KS_PC); }
KS_HOOK void __tsan_write_range(void* p, size_t n) { check_range(p, n, Access::write, KS_PC); }
KS_HOOK void __tsan_init() {}
KS_HOOK void __tsan_func_entry(void*) {}
KS_HOOK void __tsan_func_exit() {}
KS_HOOK void __tsan_vptr_update(void**, void*) {}
KS_HOOK void __tsan_vptr_read(void** p) { check(p, sizeof *p, Access::read, false, KS_PC); }

// Calls of these in the candidate's code, which the linker sends here (--wrap), and clang++ its own way.
namespace {
void* copy(void* to, const void* from, size_t n, void* pc) {
  check_range(from, n, Access::read, pc);
  check_range(to, n, Access::write, pc);
  return memmove(to, from, n);
}
void* fill(void* to, int value, size_t n, void* pc) {
  check_range(to, n, Access::write, pc);
  return memset(to, value, n);
}
}  // namespace
KS_HOOK void* __wrap_memcpy(void* to, const void* from, size_t n) { return copy(to, from, n, KS_PC); }
KS_HOOK void* __wrap_memmove(void* to, const void* from, size_t n) { return copy(to, from, n, KS_PC); }
KS_HOOK void* __wrap_memset(void* to, int value, size_t n) { return fill(to, value, n, KS_PC); }
KS_HOOK void* __tsan_memcpy(void* to, const void* from, size_t n) { return copy(to, from, n, KS_PC); }
KS_HOOK void* __tsan_memmove(void* to, const void* from, size_t n) { return copy(to, from, n, KS_PC); }
KS_HOOK void* __tsan_memset(void* to, int value, size_t n) { return fill(to, value, n, KS_PC); }

// ── atomic operations: checked, done, and order the thread ──
namespace {
typedef unsigned char A8;
typedef unsigned short A16;
typedef unsigned int A32;
typedef unsigned long long A64;

/** Checks, then makes known: what the operation publishes does not excuse the operation itself. */
inline void atomic(const volatile void* p, size_t n, Access access, void* pc) {
  check(p, n, access, false, pc);
  if (ks::strict::running.active) ks::strict::synchronise();
}
}  // namespace

#define KS_FETCH(N, NAME, OP)                                                 \
  KS_HOOK A##N __tsan_atomic##N##_fetch_##NAME(volatile A##N* p, A##N v, int) { \
    atomic(p, N / 8, Access::atomic, KS_PC);                                    \
    return OP(p, v, __ATOMIC_SEQ_CST);                                        \
  }
#define KS_ATOMICS(N)                                                                                           \
  KS_HOOK A##N __tsan_atomic##N##_load(const volatile A##N* p, int) {                                           \
    atomic(p, N / 8, Access::atomic_read, KS_PC);                                                                        \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                \
  }                                                                                                             \
  KS_HOOK void __tsan_atomic##N##_store(volatile A##N* p, A##N v, int) {                                        \
    atomic(p, N / 8, Access::atomic_write, KS_PC);                                                                       \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                   \
  }                                                                                                             \
  KS_FETCH(N, add, __atomic_fetch_add)                                                                          \
  KS_FETCH(N, sub, __atomic_fetch_sub)                                                                          \
  KS_FETCH(N, and, __atomic_fetch_and)                                                                          \
  KS_FETCH(N, or, __atomic_fetch_or)                                                                            \
  KS_FETCH(N, xor, __atomic_fetch_xor)                                                                          \
  KS_FETCH(N, nand, __atomic_fetch_nand)                                                                        \
  KS_HOOK A##N __tsan_atomic##N##_exchange(volatile A##N* p, A##N v, int) {                                     \
    atomic(p, N / 8, Access::atomic, KS_PC);                                                                      \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                         \
  }                                                                                                             \
  KS_HOOK bool __tsan_atomic##N##_compare_exchange_strong(volatile A##N* p, A##N* seen, A##N v, int, int) {     \
    atomic(p, N / 8, Access::atomic, KS_PC);                                                                      \
    return __atomic_compare_exchange_n(p, seen, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                  \
  }                                                                                                             \
  KS_HOOK bool __tsan_atomic##N##_compare_exchange_weak(volatile A##N* p, A##N* seen, A##N v, int, int) {       \
    atomic(p, N / 8, Access::atomic, KS_PC);                                                                      \
    return __atomic_compare_exchange_n(p, seen, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                  \
  }                                                                                                             \
  KS_HOOK A##N __tsan_atomic##N##_compare_exchange_val(volatile A##N* p, A##N seen, A##N v, int, int) {         \
    atomic(p, N / 8, Access::atomic, KS_PC);                                                                      \
    __atomic_compare_exchange_n(p, &seen, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                        \
    return seen;                                                                                                \
  }
KS_ATOMICS(8)
KS_ATOMICS(16)
KS_ATOMICS(32)
KS_ATOMICS(64)

KS_HOOK void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (ks::strict::running.active) ks::strict::synchronise();
}
KS_HOOK void __tsan_atomic_signal_fence(int) {
  if (ks::strict::running.active) ks::strict::synchronise();
}
