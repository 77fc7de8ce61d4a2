// IEEE half precision: every operation rounds to it, as on the device.
#ifndef KS_CUDA_FP16_H
#define KS_CUDA_FP16_H
#include "ks/small_float.h"

#define KS_H __half
#define KS_H2 __half2
#define KS_H_RAW __half_raw
#define KS_H2_RAW __half2_raw
#define KS_OTHER __nv_bfloat16
#define KS_FORMAT ks::HalfFormat
#define KS_WIDE float
#define KS_N(A, B) A##half##B
#include "ks/small_float_operations.inc"
#undef KS_H
#undef KS_H2
#undef KS_H_RAW
#undef KS_H2_RAW
#undef KS_OTHER
#undef KS_FORMAT
#undef KS_WIDE
#undef KS_N

static inline __half2 __half2half2(__half a) { return __half2(a, a); }

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half_raw nv_half_raw;
typedef __half2_raw nv_half2_raw;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00u)

#endif
