// What the runtime (compiled into the host program) offers to the code of a candidate. Nothing here is CUDA's own
// surface.
#ifndef KS_ABI_H
#define KS_ABI_H
#include <stddef.h>

#include "../vector_types.h"

#if defined(__GNUC__)
#define KS_EXPORT __attribute__((visibility("default")))
// The variables live in the executable, hence in static thread-local storage: one load to reach, no call.
#define KS_TLS __thread __attribute__((tls_model("initial-exec"), visibility("default")))
#else
#error "The CPU target needs g++ or clang++."
#endif

struct CUstream_st;

namespace ks {

/** Largest dynamic shared memory of a block with and without opt-in, bytes, as on compute capability 9.0. */
constexpr size_t max_shared = 232448;
constexpr size_t max_shared_default = 49152;

enum class Collective : int {
  sync,
  shfl_idx,
  shfl_up,
  shfl_down,
  shfl_xor,
  ballot,
  all,
  any,
  match_any,
  match_all,
  add_unsigned,
  min_unsigned,
  max_unsigned,
  min_signed,
  max_signed,
  bit_and,
  bit_or,
  bit_xor,
};
/** A type of its own: stores of the kernel's data cannot alias it, so its test leaves a loop that never waits. */
enum class Claim : int {
  lost,
  held
};
enum class BarrierVote : int {
  none,
  count,
  all,
  any
};

/** Runs the threads of the current block that have not started yet, one after the other; `closure` is the bound call.
 */
typedef void (*BlockBody)(const void* closure);

}  // namespace ks

extern "C" {

extern KS_TLS uint3 threadIdx;
extern KS_TLS uint3 blockIdx;
extern KS_TLS dim3 blockDim;
extern KS_TLS dim3 gridDim;
/**
 * The next thread of the block to start; x may equal blockDim.x, the row is then used up. While a fibre holds the claim
 * on the rest of a row, x is already set past it; when one of its threads has to wait, the runtime takes the claim away
 * and sets x to the thread behind that one.
 */
extern KS_TLS uint3 ks_next_thread;
extern KS_TLS ks::Claim ks_claim;
/** Atomic operations and fences of this OS thread: every so often one of them lets other threads of the block run. */
extern KS_TLS unsigned ks_polls;
/** The dynamic shared memory of the block that this OS thread runs. */
extern KS_TLS __attribute__((aligned(1024))) char ks_dynamic_shared[ks::max_shared];

/** Moves ks_next_thread to the next row; false when every thread of the block has been started. */
KS_EXPORT bool ks_next_row();

KS_EXPORT int ks_barrier(int vote, int predicate, const char* file, unsigned line);
KS_EXPORT unsigned long long ks_collective(int kind, unsigned mask, unsigned long long value, int argument, int width,
                                           const char* file, unsigned line);
KS_EXPORT unsigned ks_activemask(const char* file, unsigned line);
KS_EXPORT void ks_yield();
[[noreturn]] KS_EXPORT void ks_trap();

/**
 * Checks the configuration and runs the grid to its end. `module` is any address inside the caller's library.
 * Errors are left for cudaGetLastError.
 */
KS_EXPORT void ks_launch(dim3 grid, dim3 block, size_t shared, CUstream_st* stream, ks::BlockBody body,
                         const void* closure, const void* module);
/** Allows dynamic shared memory beyond 48 KiB, for all kernels of the process; 0 or a CUDA error code. */
KS_EXPORT int ks_allow_shared(size_t bytes);
}

#endif
