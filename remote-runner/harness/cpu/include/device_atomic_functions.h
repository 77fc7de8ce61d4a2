// Part of the CUDA runtime header here.
#ifndef KS_DEVICE_ATOMIC_FUNCTIONS_H
#define KS_DEVICE_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"

#endif
