// The language extensions of CUDA C++ as macros and variables that a host compiler understands.
#ifndef KS_LANGUAGE_H
#define KS_LANGUAGE_H
#include "abi.h"

#define __host__
#define __device__
// Inlined into each launch, a kernel would be compiled once more for every one of them.
#define __global__ __attribute__((noinline))
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __maxnreg__(...)
// All threads of a block run on one OS thread, so a block's shared variable is that thread's variable. At block scope
// thread_local implies static. `extern __shared__` never gets here: the rewriter turns it into KS_EXTERN_SHARED.
#define __shared__ thread_local
// Dynamic shared memory: every `extern __shared__ T name[]` is one more name of the runtime's array of this OS thread.
#if defined(__APPLE__)
#define KS_EXTERN_SHARED extern __thread
#else
#define KS_EXTERN_SHARED extern __thread __attribute__((tls_model("initial-exec")))
#endif
#define KS_SHARED_LABEL KS_LABEL("ks_dynamic_shared")

#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
// No macro __noinline__: libstdc++ writes __attribute__((__noinline__)). The rewriter replaces the word in user
// sources.
#define __device_builtin__
#define __nv_pure__
#define CUDARTAPI
#define CUDART_CB
#define CUDART_VERSION 12080

// __CUDA_ARCH__ in device code, by the name that the rewriter gives it there: compute capability 9.0, as the device says.
#define KS_CUDA_ARCH 900

constexpr int warpSize = 32;

/** Where a call stands, for reports: as default arguments these name the caller's line. */
#define KS_SITE const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()

#endif
