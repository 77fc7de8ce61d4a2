// IEEE half precision: every operation rounds to half, as on the device.
#ifndef KS_CUDA_FP16_H
#define KS_CUDA_FP16_H
#include "ks/small_float.h"

#define KS_H __half
#define KS_H2 __half2
#define KS_H_RAW __half_raw
#define KS_H2_RAW __half2_raw
#define KS_FORMAT ks::HalfFormat
#define KS_WIDE float
#include "ks/small_float_operations.inc"
#undef KS_H
#undef KS_H2
#undef KS_H_RAW
#undef KS_H2_RAW
#undef KS_FORMAT
#undef KS_WIDE

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline __half __float2half_rz(float x) { return __half(__half_raw{ks::round_toward<ks::HalfFormat>(x, 0)}); }
static inline __half __float2half_rd(float x) { return __half(__half_raw{ks::round_toward<ks::HalfFormat>(x, -1)}); }
static inline __half __float2half_ru(float x) { return __half(__half_raw{ks::round_toward<ks::HalfFormat>(x, 1)}); }
static inline __half __double2half(double x) { return __half(x); }
static inline float __half2float(__half a) { return float(a); }
static inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
static inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
static inline __half2 __half2half2(__half a) { return __half2(a, a); }
static inline __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
static inline __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
static inline __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
static inline float2 __half22float2(__half2 a) { return float2{float(a.x), float(a.y)}; }
static inline __half __low2half(__half2 a) { return a.x; }
static inline __half __high2half(__half2 a) { return a.y; }
static inline __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
static inline __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
static inline __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
static inline __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
static inline __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
static inline unsigned short __half_as_ushort(__half a) { return a.__x; }
static inline short __half_as_short(__half a) { return short(a.__x); }
static inline __half __ushort_as_half(unsigned short b) { return __half(__half_raw{b}); }
static inline __half __short_as_half(short b) { return __half(__half_raw{(unsigned short)b}); }

#define KS_TO_INTEGER(SUFFIX, ROUND)                                                             \
  static inline int __half2int_##SUFFIX(__half a) { return ks::to_int(ROUND(float(a))); }        \
  static inline unsigned __half2uint_##SUFFIX(__half a) { return ks::to_uint(ROUND(float(a))); } \
  static inline long long __half2ll_##SUFFIX(__half a) { return ks::to_ll(ROUND(float(a))); }
KS_TO_INTEGER(rn, rintf)
KS_TO_INTEGER(rz, truncf)
KS_TO_INTEGER(rd, floorf)
KS_TO_INTEGER(ru, ceilf)
#undef KS_TO_INTEGER
static inline __half __int2half_rn(int v) { return __half(v); }
static inline __half __uint2half_rn(unsigned v) { return __half(v); }
static inline __half __short2half_rn(short v) { return __half(v); }
static inline __half __ushort2half_rn(unsigned short v) { return __half(v); }
static inline __half __ll2half_rn(long long v) { return __half(v); }
static inline __half __ull2half_rn(unsigned long long v) { return __half(v); }

#endif
