#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <typename T> __device__ inline float to_float(T v) { return (float)v; }
template <> __device__ inline float to_float<half>(half v) { return __half2float(v); }
template <> __device__ inline float to_float<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __device__ inline T from_float(float v) { return (T)v; }
template <> __device__ inline half from_float<half>(float v) { return __float2half(v); }
template <> __device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float v) { return __float2bfloat16(v); }
