// Part of the CUDA runtime header here.
#ifndef KS_SM_20_ATOMIC_FUNCTIONS_H
#define KS_SM_20_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"

#endif
