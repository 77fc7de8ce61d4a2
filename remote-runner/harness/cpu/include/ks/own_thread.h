// The runtime's entries for a library with thread variables of its own: they are handed over and taken back around each.
// Included by abi.h in place of the declarations.
#pragma once

extern "C" {
KS_EXPORT int ks_runtime_barrier(int vote, int predicate, const char* file, unsigned line) KS_LABEL("ks_barrier");
KS_EXPORT unsigned long long ks_runtime_collective(int kind, unsigned mask, unsigned long long value, int argument,
                                                   int width, const char* file, unsigned line) KS_LABEL("ks_collective");
KS_EXPORT unsigned ks_runtime_activemask(const char* file, unsigned line) KS_LABEL("ks_activemask");
KS_EXPORT void ks_runtime_yield() KS_LABEL("ks_yield");
KS_EXPORT void ks_runtime_spin(bool isFirst, const char* file, unsigned line) KS_LABEL("ks_spin");
KS_EXPORT void ks_runtime_lockstep(const char* file, unsigned line) KS_LABEL("ks_lockstep");
[[noreturn]] KS_EXPORT void ks_runtime_trap() KS_LABEL("ks_trap");
}

namespace ks {
struct Away {
  const uint3 me = threadIdx;
  Away() {
    ks_runtime_threadIdx = me;
    ks_runtime_ks_claim = ks_claim;
  }
  ~Away() {
    threadIdx = me;
    ks_claim = ks_runtime_ks_claim;
  }
};
}  // namespace ks

static inline int ks_barrier(int vote, int predicate, const char* file, unsigned line) {
  const ks::Away away;
  return ks_runtime_barrier(vote, predicate, file, line);
}
static inline unsigned long long ks_collective(int kind, unsigned mask, unsigned long long value, int argument,
                                               int width, const char* file, unsigned line) {
  const ks::Away away;
  return ks_runtime_collective(kind, mask, value, argument, width, file, line);
}
static inline unsigned ks_activemask(const char* file, unsigned line) {
  const ks::Away away;
  return ks_runtime_activemask(file, line);
}
static inline void ks_yield() {
  const ks::Away away;
  ks_runtime_yield();
}
static inline void ks_spin(bool isFirst, const char* file, unsigned line) {
  const ks::Away away;
  ks_runtime_spin(isFirst, file, line);
}
static inline void ks_lockstep(const char* file, unsigned line) {
  const ks::Away away;
  ks_runtime_lockstep(file, line);
}
[[noreturn]] static inline void ks_trap() {
  const ks::Away away;
  ks_runtime_trap();
}
