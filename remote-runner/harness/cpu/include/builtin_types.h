// Part of the CUDA runtime header here.
#ifndef KS_BUILTIN_TYPES_H
#define KS_BUILTIN_TYPES_H
#include "cuda_runtime.h"

#endif
