// bfloat16: every operation rounds to bfloat16, as on the device.
#ifndef KS_CUDA_BF16_H
#define KS_CUDA_BF16_H
#include "ks/small_float.h"

#define KS_H __nv_bfloat16
#define KS_H2 __nv_bfloat162
#define KS_H_RAW __nv_bfloat16_raw
#define KS_H2_RAW __nv_bfloat162_raw
#define KS_FORMAT ks::Bfloat16Format
#define KS_WIDE double
#include "ks/small_float_operations.inc"
#undef KS_H
#undef KS_H2
#undef KS_H_RAW
#undef KS_H2_RAW
#undef KS_FORMAT
#undef KS_WIDE

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

static inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __float2bfloat16_rz(float x) {
  return __nv_bfloat16(__nv_bfloat16_raw{ks::round_toward<ks::Bfloat16Format>(x, 0)});
}
static inline __nv_bfloat16 __float2bfloat16_rd(float x) {
  return __nv_bfloat16(__nv_bfloat16_raw{ks::round_toward<ks::Bfloat16Format>(x, -1)});
}
static inline __nv_bfloat16 __float2bfloat16_ru(float x) {
  return __nv_bfloat16(__nv_bfloat16_raw{ks::round_toward<ks::Bfloat16Format>(x, 1)});
}
static inline __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
static inline float __bfloat162float(__nv_bfloat16 a) { return float(a); }
static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
static inline __nv_bfloat162 __float2bfloat162_rn(float a) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a));
}
static inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
static inline __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y));
}
static inline float2 __bfloat1622float2(__nv_bfloat162 a) { return float2{float(a.x), float(a.y)}; }
static inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
static inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
static inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
static inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
static inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
static inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
static inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
static inline short __bfloat16_as_short(__nv_bfloat16 a) { return short(a.__x); }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short b) { return __nv_bfloat16(__nv_bfloat16_raw{b}); }
static inline __nv_bfloat16 __short_as_bfloat16(short b) { return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)b}); }

#define KS_TO_INTEGER(SUFFIX, ROUND)                                                                        \
  static inline int __bfloat162int_##SUFFIX(__nv_bfloat16 a) { return ks::to_int(ROUND(float(a))); }        \
  static inline unsigned __bfloat162uint_##SUFFIX(__nv_bfloat16 a) { return ks::to_uint(ROUND(float(a))); } \
  static inline long long __bfloat162ll_##SUFFIX(__nv_bfloat16 a) { return ks::to_ll(ROUND(float(a))); }
KS_TO_INTEGER(rn, rintf)
KS_TO_INTEGER(rz, truncf)
KS_TO_INTEGER(rd, floorf)
KS_TO_INTEGER(ru, ceilf)
#undef KS_TO_INTEGER
static inline __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16(v); }
static inline __nv_bfloat16 __uint2bfloat16_rn(unsigned v) { return __nv_bfloat16(v); }
static inline __nv_bfloat16 __short2bfloat16_rn(short v) { return __nv_bfloat16(v); }
static inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short v) { return __nv_bfloat16(v); }
static inline __nv_bfloat16 __ll2bfloat16_rn(long long v) { return __nv_bfloat16(v); }
static inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long v) { return __nv_bfloat16(v); }

#endif
