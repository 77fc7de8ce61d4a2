// Profiler control: declared with the rest of the runtime API here, and does nothing.
#ifndef KS_CUDA_PROFILER_API_H
#define KS_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"

#endif
