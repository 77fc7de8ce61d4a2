// Math beyond the C library, and CUDA's floating-point intrinsics. Fast variants return the precise result: the error
// CUDA documents for them is an upper bound. Rounding is to nearest even; directed roundings are exact where one step
// of error-free arithmetic decides them.
#ifndef KS_MATH_H
#define KS_MATH_H
#include <math.h>
#include <stdlib.h>

#include "sync.h"

// ── min and max without a namespace ──
#define KS_MINMAX(T)                                                \
  static inline constexpr T min(T a, T b) { return b < a ? b : a; } \
  static inline constexpr T max(T a, T b) { return a < b ? b : a; }
KS_MINMAX(int)
KS_MINMAX(unsigned int)
KS_MINMAX(long)
KS_MINMAX(unsigned long)
KS_MINMAX(long long)
KS_MINMAX(unsigned long long)
#undef KS_MINMAX
#define KS_MIXED(A, B, T)                                                                       \
  static inline constexpr T min(A a, B b) { return min(static_cast<T>(a), static_cast<T>(b)); } \
  static inline constexpr T max(A a, B b) { return max(static_cast<T>(a), static_cast<T>(b)); } \
  static inline constexpr T min(B a, A b) { return min(static_cast<T>(a), static_cast<T>(b)); } \
  static inline constexpr T max(B a, A b) { return max(static_cast<T>(a), static_cast<T>(b)); }
KS_MIXED(int, unsigned int, unsigned int)
KS_MIXED(long, unsigned long, unsigned long)
KS_MIXED(long long, unsigned long long, unsigned long long)
#undef KS_MIXED
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }
static inline double min(float a, double b) { return fmin(double(a), b); }
static inline double max(float a, double b) { return fmax(double(a), b); }
static inline double min(double a, float b) { return fmin(a, double(b)); }
static inline double max(double a, float b) { return fmax(a, double(b)); }
static inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
static inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
static inline long long llmin(long long a, long long b) { return min(a, b); }
static inline long long llmax(long long a, long long b) { return max(a, b); }
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// ── functions the C library lacks ──
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrtf(float x) { return float(1.0 / sqrt(double(x))); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline double rcbrt(double x) { return 1.0 / cbrt(x); }
static inline float rcbrtf(float x) { return float(1.0 / cbrt(double(x))); }
static inline float fdividef(float a, float b) { return a / b; }
static inline float fdivide(float a, float b) { return a / b; }
static inline double fdivide(double a, double b) { return a / b; }
static inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
static inline float normcdff(float x) { return float(normcdf(double(x))); }
static inline double sinpi(double x) {
  const double r = fmod(x, 2.0), a = fabs(r);  // reduced exactly, so that integers give zero
  const double v = a <= 0.25   ? sin(M_PI * a)
                   : a <= 0.75 ? cos(M_PI * (a - 0.5))
                   : a <= 1.25 ? -sin(M_PI * (a - 1.0))
                   : a <= 1.75 ? -cos(M_PI * (a - 1.5))
                               : sin(M_PI * (a - 2.0));
  return copysign(1.0, r) * v;
}
static inline double cospi(double x) {
  const double a = fabs(fmod(x, 2.0));
  return a <= 0.25   ? cos(M_PI * a)
         : a <= 0.75 ? -sin(M_PI * (a - 0.5))
         : a <= 1.25 ? -cos(M_PI * (a - 1.0))
         : a <= 1.75 ? sin(M_PI * (a - 1.5))
                     : cos(M_PI * (a - 2.0));
}
static inline float sinpif(float x) { return float(sinpi(double(x))); }
static inline float cospif(float x) { return float(cospi(double(x))); }
static inline void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
static inline void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}
static inline float norm3df(float a, float b, float c) {
  return float(sqrt(double(a) * a + double(b) * b + double(c) * c));
}
static inline float norm4df(float a, float b, float c, float d) {
  return float(sqrt(double(a) * a + double(b) * b + double(c) * c + double(d) * d));
}
static inline float rnorm3df(float a, float b, float c) {
  return float(1.0 / sqrt(double(a) * a + double(b) * b + double(c) * c));
}
static inline double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
static inline float rhypotf(float a, float b) { return float(1.0 / hypot(double(a), double(b))); }
static inline double erfcx(double x) { return exp(x * x) * erfc(x); }
static inline float erfcxf(float x) { return float(erfcx(double(x))); }
#if defined(__APPLE__)
static inline float exp10f(float x) { return float(pow(10.0, double(x))); }
static inline double exp10(double x) { return pow(10.0, x); }
static inline void sincosf(float x, float* s, float* c) {
  *s = sinf(x);
  *c = cosf(x);
}
static inline void sincos(double x, double* s, double* c) {
  *s = sin(x);
  *c = cos(x);
}
#endif

// ── fast variants ──
static inline float __fdividef(float a, float b) { return a / b; }
// glibc declares these names itself, as functions with C linkage that it does not export: this is their definition.
extern "C" {
inline float __expf(float x) noexcept { return expf(x); }
inline float __exp10f(float x) noexcept { return exp10f(x); }
inline float __logf(float x) noexcept { return logf(x); }
inline float __log2f(float x) noexcept { return log2f(x); }
inline float __log10f(float x) noexcept { return log10f(x); }
inline float __powf(float x, float y) noexcept { return powf(x, y); }
inline float __sinf(float x) noexcept { return sinf(x); }
inline float __cosf(float x) noexcept { return cosf(x); }
inline float __tanf(float x) noexcept { return tanf(x); }
inline float __tanhf(float x) noexcept { return tanhf(x); }
inline void __sincosf(float x, float* s, float* c) noexcept { sincosf(x, s, c); }
}
static inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline float __frsqrt_rn(float x) { return rsqrtf(x); }

// ── rounding modes ──
namespace ks {
/** `value` is `exact` rounded to nearest; `error` has the sign of exact - value. */
template <class T>
static inline T down(T value, T error) {
  return error < 0 ? nexttoward(value, -HUGE_VALL) : value;
}
template <class T>
static inline T up(T value, T error) {
  return error > 0 ? nexttoward(value, HUGE_VALL) : value;
}
template <class T>
static inline T zero(T value, T error) {
  return value > 0 ? down(value, error) : up(value, error);
}
template <class T>
static inline T near(T value, T) {
  return value;
}
template <class T>
static inline T sum_error(T a, T b, T s) {
  const T bb = s - a;
  return (a - (s - bb)) + (b - bb);
}
}  // namespace ks
#define KS_ROUNDED(SUFFIX, STEP)                                                                   \
  static inline float __fadd_##SUFFIX(float a, float b) {                                          \
    float s = a + b;                                                                               \
    return ks::STEP(s, ks::sum_error(a, b, s));                                                    \
  }                                                                                                \
  static inline float __fsub_##SUFFIX(float a, float b) { return __fadd_##SUFFIX(a, -b); }         \
  static inline float __fmul_##SUFFIX(float a, float b) {                                          \
    float p = a * b;                                                                               \
    return ks::STEP(p, fmaf(a, b, -p));                                                            \
  }                                                                                                \
  static inline float __fdiv_##SUFFIX(float a, float b) {                                          \
    float q = a / b, r = fmaf(-q, b, a);                                                           \
    return ks::STEP(q, b > 0 ? r : -r);                                                            \
  }                                                                                                \
  static inline float __frcp_##SUFFIX(float a) { return __fdiv_##SUFFIX(1.0f, a); }                \
  static inline float __fsqrt_##SUFFIX(float a) {                                                  \
    float q = sqrtf(a);                                                                            \
    return ks::STEP(q, fmaf(-q, q, a));                                                            \
  }                                                                                                \
  static inline float __fmaf_##SUFFIX(float a, float b, float c) {                                 \
    const float f = fmaf(a, b, c);                                                                 \
    const double p = double(a) * double(b), s = p + double(c), e = ks::sum_error(p, double(c), s); \
    const double d = (s - double(f)) + e;                                                          \
    return ks::STEP(f, d > 0 ? 1.0f : d < 0 ? -1.0f : 0.0f);                                       \
  }                                                                                                \
  static inline double __dadd_##SUFFIX(double a, double b) {                                       \
    double s = a + b;                                                                              \
    return ks::STEP(s, ks::sum_error(a, b, s));                                                    \
  }                                                                                                \
  static inline double __dsub_##SUFFIX(double a, double b) { return __dadd_##SUFFIX(a, -b); }      \
  static inline double __dmul_##SUFFIX(double a, double b) {                                       \
    double p = a * b;                                                                              \
    return ks::STEP(p, fma(a, b, -p));                                                             \
  }                                                                                                \
  static inline double __ddiv_##SUFFIX(double a, double b) {                                       \
    double q = a / b, r = fma(-q, b, a);                                                           \
    return ks::STEP(q, b > 0 ? r : -r);                                                            \
  }                                                                                                \
  static inline double __drcp_##SUFFIX(double a) { return __ddiv_##SUFFIX(1.0, a); }               \
  static inline double __dsqrt_##SUFFIX(double a) {                                                \
    double q = sqrt(a);                                                                            \
    return ks::STEP(q, fma(-q, q, a));                                                             \
  }                                                                                                \
  static inline float __double2float_##SUFFIX(double a) {                                          \
    const float f = float(a);                                                                      \
    return ks::STEP(f, a > double(f) ? 1.0f : a < double(f) ? -1.0f : 0.0f);                       \
  }
KS_ROUNDED(rn, near)
KS_ROUNDED(rz, zero)
KS_ROUNDED(rd, down)
KS_ROUNDED(ru, up)
#undef KS_ROUNDED
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

// ── conversions ──
namespace ks {
/** Out of range saturates and NaN gives 0 for 32 bits, as cvt does on the device. */
template <class I, class F>
static inline I to_integer(F x, I low, I high, F below, F beyond) {
  return x != x ? I(0) : x <= below ? low : x >= beyond ? high : I(x);
}
template <class F>
static inline int to_int(F x) {
  return to_integer<int, F>(x, -2147483647 - 1, 2147483647, F(-2147483649.0), F(2147483648.0));
}
template <class F>
static inline unsigned to_uint(F x) {
  return to_integer<unsigned, F>(x, 0u, 4294967295u, F(-1), F(4294967296.0));
}
template <class F>
static inline long long to_ll(F x) {
  return x != x ? (long long)(0x8000000000000000ull)
                : to_integer<long long, F>(x, -9223372036854775807ll - 1, 9223372036854775807ll,
                                           F(-9223372036854775808.0), F(9223372036854775808.0));
}
template <class F>
static inline unsigned long long to_ull(F x) {
  return x != x ? 0x8000000000000000ull
                : to_integer<unsigned long long, F>(x, 0ull, ~0ull, F(-1), F(18446744073709551616.0));
}
}  // namespace ks
#define KS_CONVERT(SUFFIX, ROUNDF, ROUND)                                                          \
  static inline int __float2int_##SUFFIX(float x) { return ks::to_int(ROUNDF(x)); }                \
  static inline unsigned __float2uint_##SUFFIX(float x) { return ks::to_uint(ROUNDF(x)); }         \
  static inline long long __float2ll_##SUFFIX(float x) { return ks::to_ll(ROUNDF(x)); }            \
  static inline unsigned long long __float2ull_##SUFFIX(float x) { return ks::to_ull(ROUNDF(x)); } \
  static inline int __double2int_##SUFFIX(double x) { return ks::to_int(ROUND(x)); }               \
  static inline unsigned __double2uint_##SUFFIX(double x) { return ks::to_uint(ROUND(x)); }        \
  static inline long long __double2ll_##SUFFIX(double x) { return ks::to_ll(ROUND(x)); }           \
  static inline unsigned long long __double2ull_##SUFFIX(double x) { return ks::to_ull(ROUND(x)); }
KS_CONVERT(rn, rintf, rint)
KS_CONVERT(rz, truncf, trunc)
KS_CONVERT(rd, floorf, floor)
KS_CONVERT(ru, ceilf, ceil)
#undef KS_CONVERT
static inline float __int2float_rn(int x) { return float(x); }
static inline float __uint2float_rn(unsigned x) { return float(x); }
static inline float __ll2float_rn(long long x) { return float(x); }
static inline float __ull2float_rn(unsigned long long x) { return float(x); }
static inline float __int2float_rz(int x) { return __double2float_rz(double(x)); }
static inline float __uint2float_rz(unsigned x) { return __double2float_rz(double(x)); }
static inline double __int2double_rn(int x) { return double(x); }
static inline double __uint2double_rn(unsigned x) { return double(x); }
static inline double __ll2double_rn(long long x) { return double(x); }
static inline double __ull2double_rn(unsigned long long x) { return double(x); }

// ── bits ──
static inline int __float_as_int(float x) { return ks::bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return ks::bits<unsigned>(x); }
static inline float __int_as_float(int x) { return ks::bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return ks::bits<float>(x); }
static inline long long __double_as_longlong(double x) { return ks::bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return ks::bits<double>(x); }
static inline int __double2hiint(double x) { return int(ks::bits<unsigned long long>(x) >> 32); }
static inline int __double2loint(double x) { return int(ks::bits<unsigned long long>(x)); }
static inline double __hiloint2double(int hi, int lo) {
  return ks::bits<double>((unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

#endif
