// bfloat16: every operation rounds to it, as on the device.
#ifndef KS_CUDA_BF16_H
#define KS_CUDA_BF16_H
#include "cuda_fp16.h"
#include "ks/small_float.h"

#define KS_H __nv_bfloat16
#define KS_H2 __nv_bfloat162
#define KS_H_RAW __nv_bfloat16_raw
#define KS_H2_RAW __nv_bfloat162_raw
#define KS_OTHER __half
#define KS_FORMAT ks::Bfloat16Format
#define KS_WIDE double
#define KS_N(A, B) A##bfloat16##B
#include "ks/small_float_operations.inc"
#undef KS_H
#undef KS_H2
#undef KS_H_RAW
#undef KS_H2_RAW
#undef KS_OTHER
#undef KS_FORMAT
#undef KS_WIDE
#undef KS_N

static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }

inline __half::__half(__nv_bfloat16 v) : __half(float(v)) {}
inline __nv_bfloat16::__nv_bfloat16(__half v) : __nv_bfloat16(float(v)) {}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef __nv_bfloat16_raw nv_bfloat16_raw;
typedef __nv_bfloat162_raw nv_bfloat162_raw;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80u)

#endif
