// What device code of a candidate calls: the variables of its threads and the entries into the scheduler of its block.
#include <cstdio>
#include <cstdlib>

#include "block.h"

KS_TLS uint3 threadIdx;
KS_TLS uint3 blockIdx;
KS_TLS dim3 blockDim;
KS_TLS dim3 gridDim;
KS_TLS uint3 ks_next_thread;
KS_TLS ks::Claim ks_claim;
KS_TLS unsigned ks_polls;

bool ks_next_row() {
  // Called with the row used up, possibly again after the last one.
  if (ks_next_thread.z >= blockDim.z) return false;
  if (ks_next_thread.x < blockDim.x) return true;
  if (++ks_next_thread.y >= blockDim.y) {
    ks_next_thread.y = 0;
    if (++ks_next_thread.z >= blockDim.z) return false;
  }
  ks_next_thread.x = 0;
  return true;
}

/** Device functions called from host code have no block to wait for. */
static ks::BlockRunner& running(const char* what) {
  if (!ks::BlockRunner::current()) {
    fprintf(stderr, "kernelseek: %s called outside of a kernel\n", what);
    abort();
  }
  return *ks::BlockRunner::current();
}

int ks_barrier(int vote, int predicate, const char* file, unsigned line) {
  return running("__syncthreads").barrier(vote, predicate, file, line);
}
unsigned long long ks_collective(int kind, unsigned mask, unsigned long long value, int argument, int width,
                                 const char* file, unsigned line) {
  return running("a warp function").collective(kind, mask, value, argument, width, file, line);
}
unsigned ks_activemask(const char* file, unsigned line) { return running("__activemask").active_mask(file, line); }
void ks_lockstep(const char* file, unsigned line) {
  if (ks::BlockRunner::current()) ks::BlockRunner::current()->active_mask(file, line);
}
void ks_spin(bool isFirst, const char* file, unsigned line) {
  if (ks::BlockRunner::current()) ks::BlockRunner::current()->spin(isFirst, file, line);
}
void ks_yield() {
  if (ks::BlockRunner::current()) ks::BlockRunner::current()->yield();
}
/** The C library's assert, in kernels as CUDA has it: message, error, and the process lives. Ours comes first in the
 * search. */
extern "C" KS_EXPORT __attribute__((noreturn)) void __assert_fail(const char* assertion, const char* file,
                                                                  unsigned line, const char* function) noexcept {
  char text[1000];
  if (!ks::BlockRunner::current()) {
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
    abort();
  }
  snprintf(text, sizeof text, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", file, line,
           function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, assertion);
  ks::BlockRunner::current()->fail(710, text);
}
void ks_trap() {
  char text[160];
  snprintf(text, sizeof text, "__trap in block (%u,%u,%u), thread (%u,%u,%u)", blockIdx.x, blockIdx.y, blockIdx.z,
           threadIdx.x, threadIdx.y, threadIdx.z);
  running("__trap").fail(719, text);
}
