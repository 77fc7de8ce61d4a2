// What -fsanitize=alignment,bounds,shift-exponent,integer-divide-by-zero,return,unreachable makes the candidate's code call.
// The structures are the compilers' own, laid down with the sanitizer's interface.
#include <cstdio>

#include "fibre.h"
#include "strict.h"

namespace {

struct Location {
  const char* file;
  unsigned line, column;
};
struct Type {
  unsigned short kind, info;
  char name[1];
  bool is_integer() const { return kind == 0; }
  bool is_signed() const { return info & 1; }
  unsigned bits() const { return 1u << (info >> 1); }
};
struct Misaligned {
  Location at;
  const Type* type;
  unsigned char log_alignment, kind;
};
struct OutOfBounds {
  Location at;
  const Type *array, *index;
};
struct Shift {
  Location at;
  const Type *left, *right;
};
struct Overflow {
  Location at;
  const Type* type;
};
struct Reached {
  Location at;
};

/** The value of an operand: integers of up to 64 bits travel in the argument itself. */
long long value(const Type* type, uintptr_t operand) {
  if (!type->is_integer() || type->bits() > 64) return 0;
  if (!type->is_signed() || type->bits() == 64) return (long long)operand;
  const unsigned spare = 64 - type->bits();
  return (long long)((unsigned long long)operand << spare) >> spare;
}

ks::strict::Report at(const char* code, const Location& place) {
  return {code, 0, 0, place.file, place.line, place.column};
}

void misaligned(const Misaligned* data, uintptr_t address) {
  if (!ks::strict::running.active || address == 0) return;
  const unsigned long long alignment = 1ull << data->log_alignment;
  if (address % alignment == 0) return;
  ks::strict::report(at("misaligned", data->at),
                     "%%1: %s of block (%u,%u,%u) uses an address as %s that is a multiple of %llu bytes only, not of %llu",
                     ks::strict::thread_name(ks::linear(threadIdx)), blockIdx.x, blockIdx.y, blockIdx.z,
                     data->type->name, 1ull << __builtin_ctzll(address), alignment);
  ks::strict::stop(716);
}

void out_of_bounds(const OutOfBounds* data, uintptr_t index) {
  if (!ks::strict::running.active) return;
  ks::strict::report(at("index_out_of_bounds", data->at), "%%1: %s of block (%u,%u,%u) uses index %lld of %s",
                     ks::strict::thread_name(ks::linear(threadIdx)), blockIdx.x, blockIdx.y, blockIdx.z,
                     value(data->index, index), data->array->name);
}

void shift(const Shift* data, uintptr_t left, uintptr_t right) {
  (void)left;
  if (!ks::strict::running.active) return;
  ks::strict::report(at("shift", data->at), "%%1: %s is shifted by %lld bits, which C++ leaves undefined",
                     data->left->name, value(data->right, right));
}

void divided(const Overflow* data) {
  if (!ks::strict::running.active) return;
  ks::strict::report(at("undefined_behaviour", data->at), "%%1: %s of block (%u,%u,%u) divides %s by zero",
                     ks::strict::thread_name(ks::linear(threadIdx)), blockIdx.x, blockIdx.y, blockIdx.z,
                     data->type->name);
  ks::strict::stop(719);
}

void reached(const Reached* data, const char* what) {
  if (ks::strict::running.active) {
    ks::strict::report(at("undefined_behaviour", data->at), "%%1: %s of block (%u,%u,%u) %s",
                       ks::strict::thread_name(ks::linear(threadIdx)), blockIdx.x, blockIdx.y, blockIdx.z, what);
    ks::strict::stop(719);
  }
  fprintf(stderr, "kernelseek: %s:%u: host code %s\n", data->at.file, data->at.line, what);
  __builtin_trap();
}

}  // namespace

#define KS_HANDLER extern "C" KS_EXPORT void
KS_HANDLER __ubsan_handle_type_mismatch_v1(void* d, uintptr_t p) { misaligned(static_cast<Misaligned*>(d), p); }
KS_HANDLER __ubsan_handle_out_of_bounds(void* d, uintptr_t i) { out_of_bounds(static_cast<OutOfBounds*>(d), i); }
KS_HANDLER __ubsan_handle_shift_out_of_bounds(void* d, uintptr_t l, uintptr_t r) { shift(static_cast<Shift*>(d), l, r); }
KS_HANDLER __ubsan_handle_divrem_overflow(void* d, uintptr_t, uintptr_t) { divided(static_cast<Overflow*>(d)); }
KS_HANDLER __ubsan_handle_builtin_unreachable(void* d) { reached(static_cast<Reached*>(d), "gets where it said that it never would"); }
KS_HANDLER __ubsan_handle_missing_return(void* d) { reached(static_cast<Reached*>(d), "leaves a function without the value it promised"); }
