// The CUDA error state: what launches and API calls leave for cudaGetLastError.
#pragma once
#include "../include/cuda_runtime_api.h"

namespace ks {

/** Remembers `error` for cudaGetLastError of the calling thread, and returns it. */
cudaError_t record(cudaError_t error);
/** A kernel failed: the context is lost, every later call answers with this error. */
void set_sticky(cudaError_t error);
/** cudaSuccess, or the error that killed the context. */
cudaError_t sticky();

/** Number of OS threads that run blocks. */
unsigned worker_count();

}  // namespace ks
