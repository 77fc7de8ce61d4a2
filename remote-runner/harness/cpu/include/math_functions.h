// Part of the CUDA runtime header here.
#ifndef KS_MATH_FUNCTIONS_H
#define KS_MATH_FUNCTIONS_H
#include "cuda_runtime.h"

#endif
