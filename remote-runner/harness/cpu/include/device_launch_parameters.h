// Part of the CUDA runtime header here.
#ifndef KS_DEVICE_LAUNCH_PARAMETERS_H
#define KS_DEVICE_LAUNCH_PARAMETERS_H
#include "cuda_runtime.h"

#endif
