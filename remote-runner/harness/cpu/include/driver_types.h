// Part of the CUDA runtime header here.
#ifndef KS_DRIVER_TYPES_H
#define KS_DRIVER_TYPES_H
#include "cuda_runtime.h"

#endif
