// What the runtime (compiled into the host program) offers to the code of a candidate. Nothing here is CUDA's own
// surface.
#ifndef KS_ABI_H
#define KS_ABI_H
#include <stddef.h>

#include "../vector_types.h"

#if defined(__GNUC__)
#define KS_EXPORT __attribute__((visibility("default")))
// The variables live in the executable, hence in static thread-local storage: one load to reach, no call.
#if defined(__APPLE__)
#define KS_TLS __thread __attribute__((visibility("default")))
#else
#define KS_TLS __thread __attribute__((tls_model("initial-exec"), visibility("default")))
#endif
#else
#error "The CPU target needs g++ or clang++."
#endif

// The names of the runtime's symbols for the assembler, where code calls them something else.
#if defined(__APPLE__)
#define KS_LABEL(NAME) __asm__("_" NAME)
#else
#define KS_LABEL(NAME) __asm__(NAME)
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

/** What a launch hands over to the runtime. */
struct Launch {
  dim3 grid, block;
  size_t shared;
  CUstream_st* stream;
  BlockBody body;
  /** The bound call. While the stream is captured its `bytes` are copied, unless it refers to the frame of its launcher. */
  const void* closure;
  size_t bytes;
  bool isOwn;
  /** Any address inside the caller's library, or null. */
  const void* module;
  /** The kernel's address where it is known, else null. */
  const void* kernel;
};
/** Launches `kernel` in this configuration with the arguments to which `arguments` points, as cudaLaunchKernel has them. */
typedef void (*Launcher)(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                         CUstream_st* stream);

}  // namespace ks

extern "C" {

extern KS_TLS uint3 threadIdx;
extern KS_TLS uint3 blockIdx;
extern KS_TLS dim3 blockDim;
extern KS_TLS dim3 gridDim;
extern KS_TLS ks::Claim ks_claim;
/**
 * The next thread of the block to start; x may equal blockDim.x, the row is then used up. While a fibre holds the claim
 * on the rest of a row, x is already set past it; when one of its threads has to wait, the runtime takes the claim away
 * and sets x to the thread behind that one.
 */
extern KS_TLS uint3 ks_next_thread;
/** Atomic operations and fences of this OS thread: every so often one of them lets other threads of the block run. */
extern KS_TLS unsigned ks_polls;
/** The dynamic shared memory of the block that this OS thread runs. */
extern KS_TLS __attribute__((aligned(1024))) char ks_dynamic_shared[ks::max_shared];

/** Moves ks_next_thread to the next row; false when every thread of the block has been started. */
KS_EXPORT bool ks_next_row();

// What may run other threads of the block meanwhile, or asks which one this is.
KS_EXPORT int ks_barrier(int vote, int predicate, const char* file, unsigned line);
KS_EXPORT unsigned long long ks_collective(int kind, unsigned mask, unsigned long long value, int argument, int width,
                                           const char* file, unsigned line);
KS_EXPORT unsigned ks_activemask(const char* file, unsigned line);
KS_EXPORT void ks_yield();
/** A thread that waits in a loop lets others run; `isFirst` for the first time in one execution of the loop. */
KS_EXPORT void ks_spin(bool isFirst, const char* file, unsigned line);
/** Waits for the lanes of the warp that get here too; does nothing outside of kernels. */
KS_EXPORT void ks_lockstep(const char* file, unsigned line);
[[noreturn]] KS_EXPORT void ks_trap();

/** Runs the grid to its end, or records it where its stream is being captured. Errors are left for cudaGetLastError. */
KS_EXPORT void ks_launch(const ks::Launch& launch);
/** Sets how much dynamic shared memory a kernel, null for one that is not known, may have; 0 or a CUDA error code. */
KS_EXPORT int ks_allow_shared(const void* kernel, size_t bytes);
/** How much dynamic shared memory a launch of this kernel may have now, and how much static shared memory it declares. */
KS_EXPORT void ks_kernel_shared(const void* kernel, size_t* dynamic, size_t* fixed);
/** Makes launches by the address of a kernel possible: `launcher` knows the types of its parameters. */
KS_EXPORT void ks_register_kernel(const void* kernel, ks::Launcher launcher);
}

#endif
