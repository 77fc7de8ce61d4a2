// 8-bit floating point, E4M3 and E5M2: storage types, and conversions that round once, to nearest even.
#ifndef KS_CUDA_FP8_H
#define KS_CUDA_FP8_H
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace ks {

/**
 * Rounds a magnitude that is not NaN to `mantissa` bits behind the point, exponents from 1 - bias on. The codes of the
 * format are in the order of the numbers, so a carry goes into the exponent by itself; codes too large are the caller's.
 */
static inline unsigned fp8_code(double magnitude, int mantissa, int bias) {
  const int stored = int(bits<unsigned long long>(magnitude) >> 52);  // 0 for what is far below every step
  const int exponent = stored - 1023 < 1 - bias ? 1 - bias : stored - 1023;
  if (exponent > 32) return 0xffffu;
  const double step = bits<double>((unsigned long long)(1023 + exponent - mantissa) << 52);
  return (unsigned(exponent + bias - 1) << mantissa) + unsigned(rint(magnitude / step));
}
static inline unsigned char to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format) {
  const bool is_e4m3 = format == __NV_E4M3;
  const unsigned long long raw = bits<unsigned long long>(x);
  const unsigned sign = unsigned(raw >> 63) << 7;
  if (x != x) return (unsigned char)(sign | (is_e4m3 ? 0x7fu : 0x7eu | (unsigned(raw >> 50) & 3u)));
  const unsigned largest = is_e4m3 ? 0x7eu : 0x7bu, code = is_e4m3 ? fp8_code(fabs(x), 3, 7) : fp8_code(fabs(x), 2, 15);
  if (code <= largest) return (unsigned char)(sign | code);
  return (unsigned char)(sign | (saturate == __NV_SATFINITE ? largest : is_e4m3 ? 0x7fu : 0x7cu));
}

}  // namespace ks

static inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t format) {
  return ks::to_fp8(x, saturate, format);
}
static inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t format) {
  // What is not a number loses its sign on the way.
  return x != x ? (unsigned char)0x7f : ks::to_fp8(double(x), saturate, format);
}
static inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(float(__half(x)), saturate, format);
}
static inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(float(__nv_bfloat16(x)), saturate, format);
}
#define KS_TO_PAIR(NAME, PAIR, ONE, LOW, HIGH)                                                         \
  static inline __nv_fp8x2_storage_t NAME(PAIR v, __nv_saturation_t saturate,                          \
                                          __nv_fp8_interpretation_t format) {                          \
    return (__nv_fp8x2_storage_t)(ONE(LOW, saturate, format) | ONE(HIGH, saturate, format) << 8);      \
  }
KS_TO_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, v.x, v.y)
KS_TO_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, v.x, v.y)
KS_TO_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw{v.x}, __half_raw{v.y})
KS_TO_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw{v.x},
           __nv_bfloat16_raw{v.y})
#undef KS_TO_PAIR

/** Exact: half has all numbers of both formats. */
static inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  // E5M2 is the upper half of a half.
  if (format == __NV_E5M2) return __half_raw{(unsigned short)((x & 0x7fu) > 0x7cu ? 0x7fffu : unsigned(x) << 8)};
  if ((x & 0x7fu) == 0x7fu) return __half_raw{0x7fff};
  // The same bits with half's larger bias are too small by 2^8.
  const __half magnitude(__half_raw{(unsigned short)((x & 0x7fu) << 7)});
  const __half scaled(float(magnitude) * 256.0f);
  return __half_raw{(unsigned short)(scaled.__x | (x & 0x80u) << 8)};
}
static inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format) {
  return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, format).x,
                     __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), format).x};
}

#define KS_FP8_INTEGER(T)                                                  \
  explicit KS_FP8(T v) : KS_FP8(float(v)) {}                               \
  explicit operator T() const { return static_cast<T>(__half(*this)); }
#define KS_FP8_TYPES(NAME, FORMAT)                                                                              \
  struct __nv_fp8_##NAME {                                                                                      \
    __nv_fp8_storage_t __x;                                                                                     \
    __nv_fp8_##NAME() = default;                                                                                \
    explicit __nv_fp8_##NAME(__half v) : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, FORMAT)) {}             \
    explicit __nv_fp8_##NAME(__nv_bfloat16 v) : __x(__nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, FORMAT)) {}  \
    explicit __nv_fp8_##NAME(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, FORMAT)) {}                \
    explicit __nv_fp8_##NAME(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, FORMAT)) {}              \
    explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, FORMAT)); }                   \
    explicit operator float() const { return float(__half(*this)); }                                            \
    explicit operator __nv_bfloat16() const { return __float2bfloat16_rz(float(*this)); }                       \
    explicit operator double() const { return double(float(*this)); }                                           \
    explicit operator bool() const { return (__x & 0x7fu) != 0; }                                               \
    explicit operator signed char() const { return static_cast<signed char>(__half(*this)); }                   \
    explicit operator unsigned char() const { return static_cast<unsigned char>(__half(*this)); }               \
    explicit operator char() const { return static_cast<char>(__half(*this)); }                                 \
    KS_FP8_INTEGER(short)                                                                                       \
    KS_FP8_INTEGER(unsigned short)                                                                              \
    KS_FP8_INTEGER(int)                                                                                         \
    KS_FP8_INTEGER(unsigned)                                                                                    \
    KS_FP8_INTEGER(long)                                                                                        \
    KS_FP8_INTEGER(unsigned long)                                                                               \
    KS_FP8_INTEGER(long long)                                                                                   \
    KS_FP8_INTEGER(unsigned long long)                                                                          \
  };                                                                                                            \
  struct alignas(2) __nv_fp8x2_##NAME {                                                                         \
    __nv_fp8x2_storage_t __x;                                                                                   \
    __nv_fp8x2_##NAME() = default;                                                                              \
    explicit __nv_fp8x2_##NAME(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, FORMAT)) {}       \
    explicit __nv_fp8x2_##NAME(__nv_bfloat162 v)                                                                \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, FORMAT)) {}                                     \
    explicit __nv_fp8x2_##NAME(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, FORMAT)) {}          \
    explicit __nv_fp8x2_##NAME(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, FORMAT)) {}        \
    explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, FORMAT)); }              \
    explicit operator float2() const {                                                                          \
      const __half2 h(*this);                                                                                   \
      return float2{float(h.x), float(h.y)};                                                                    \
    }                                                                                                           \
  };                                                                                                            \
  struct alignas(4) __nv_fp8x4_##NAME {                                                                         \
    __nv_fp8x4_storage_t __x;                                                                                   \
    __nv_fp8x4_##NAME() = default;                                                                              \
    explicit __nv_fp8x4_##NAME(__half2 low, __half2 high)                                                       \
        : __x(ks::packed(__nv_fp8x2_##NAME(low).__x, __nv_fp8x2_##NAME(high).__x)) {}                           \
    explicit __nv_fp8x4_##NAME(__nv_bfloat162 low, __nv_bfloat162 high)                                         \
        : __x(ks::packed(__nv_fp8x2_##NAME(low).__x, __nv_fp8x2_##NAME(high).__x)) {}                           \
    explicit __nv_fp8x4_##NAME(float4 v)                                                                        \
        : __x(ks::packed(__nv_fp8x2_##NAME(float2{v.x, v.y}).__x, __nv_fp8x2_##NAME(float2{v.z, v.w}).__x)) {}  \
    explicit __nv_fp8x4_##NAME(double4 v)                                                                       \
        : __x(ks::packed(__nv_fp8x2_##NAME(double2{v.x, v.y}).__x, __nv_fp8x2_##NAME(double2{v.z, v.w}).__x)) {} \
    explicit operator float4() const {                                                                          \
      __nv_fp8x2_##NAME low, high;                                                                              \
      low.__x = (__nv_fp8x2_storage_t)__x;                                                                      \
      high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                                             \
      const float2 a(low), b(high);                                                                             \
      return float4{a.x, a.y, b.x, b.y};                                                                        \
    }                                                                                                           \
  };
namespace ks {
static inline unsigned packed(unsigned short low, unsigned short high) { return unsigned(high) << 16 | low; }
}  // namespace ks
#define KS_FP8 __nv_fp8_e4m3
KS_FP8_TYPES(e4m3, __NV_E4M3)
#undef KS_FP8
#define KS_FP8 __nv_fp8_e5m2
KS_FP8_TYPES(e5m2, __NV_E5M2)
#undef KS_FP8
#undef KS_FP8_TYPES
#undef KS_FP8_INTEGER

#endif
