// The CUDA error state of the process and its host threads.
#include "errors.h"

#include <atomic>

namespace ks {
namespace {
thread_local cudaError_t last = cudaSuccess;
std::atomic<int> lost{cudaSuccess};
}  // namespace

cudaError_t sticky() { return cudaError_t(lost.load(std::memory_order_relaxed)); }
void set_sticky(cudaError_t error) { lost.store(error); }
cudaError_t record(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

}  // namespace ks

cudaError_t cudaPeekAtLastError() { return ks::sticky() ? ks::sticky() : ks::last; }
cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  ks::last = cudaSuccess;
  return error;
}
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define KS_ERROR(name, number, text) \
  case name: return #name;
#include "../include/ks/errors.inc"
#undef KS_ERROR
    default: return "unrecognized error code";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define KS_ERROR(name, number, text) \
  case name: return text;
#include "../include/ks/errors.inc"
#undef KS_ERROR
    default: return "unrecognized error code";
  }
}
