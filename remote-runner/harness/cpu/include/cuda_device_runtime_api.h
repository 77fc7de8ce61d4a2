// Part of the CUDA runtime header here.
#ifndef KS_CUDA_DEVICE_RUNTIME_API_H
#define KS_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime.h"

#endif
