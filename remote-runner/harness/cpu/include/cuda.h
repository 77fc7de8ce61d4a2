// The part of the driver API's header that kernels use: its version and its types' names. Driver calls are unsupported.
#ifndef KS_CUDA_H
#define KS_CUDA_H
#include "cuda_runtime_api.h"

#define CUDA_VERSION 12080
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;

#endif
