// Math beyond the C library, and the fast variants, which return the precise result: the error that CUDA documents for
// them is an upper bound.
#ifndef KS_MATH_H
#define KS_MATH_H
#include <math.h>
#include <stdlib.h>

#include <cmath>

#include "rounding.h"
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
static inline double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
static inline double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
static inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
static inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
static inline double norm(int n, const double* v) {
  double length = 0;
  for (int i = 0; i < n; ++i) length = hypot(length, v[i]);
  return length;
}
static inline double rnorm(int n, const double* v) { return 1.0 / norm(n, v); }
static inline float normf(int n, const float* v) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += double(v[i]) * double(v[i]);
  return float(sqrt(sum));
}
static inline float rnormf(int n, const float* v) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += double(v[i]) * double(v[i]);
  return float(1.0 / sqrt(sum));
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
static inline float rnorm4df(float a, float b, float c, float d) {
  return float(1.0 / sqrt(double(a) * a + double(b) * b + double(c) * c + double(d) * d));
}
static inline double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
static inline float rhypotf(float a, float b) { return float(1.0 / hypot(double(a), double(b))); }
static inline double erfcx(double x) {
  if (x < 25.0) {
    const double square = x * x;
    return exp(square) * (1.0 + fma(x, x, -square)) * erfc(x);
  }
  // The continued fraction of Laplace, where erfc itself has left the normal numbers.
  double fraction = x;
  for (int k = 12; k > 0; --k) fraction = x + 0.5 * k / fraction;
  return 0.56418958354775628695 / fraction;
}
namespace ks {
/** z with erfc(z) = y for 0 < y <= 1: Newton on the logarithm, which is nearly a parabola. */
static inline double erfc_inverse(double y) {
  if (y == 1.0) return 0.0;
  const double target = log(y);
  double z = sqrt(fmax(-target - 0.5 * log(fmax(-target, 1.0) * M_PI), 0.0));
  if (y > 0.1) z = 0.88622692545275801365 * (1.0 - y);
  for (int k = 0; k < 12; ++k) {
    const double scaled = erfcx(z);  // erfc(z) = scaled * exp(-z * z)
    const double step = (log(scaled) - z * z - target) * scaled * 0.88622692545275801365;
    z += step;
    if (fabs(step) < 1e-17 * fabs(z)) break;
  }
  return z;
}
/** z with erf(z) = x for |x| <= 0.5, where the difference from one would lose digits. */
static inline double erf_inverse_small(double x) {
  double z = 0.88622692545275801365 * x;
  for (int k = 0; k < 8; ++k) z -= (erf(z) - x) * 0.88622692545275801365 * exp(z * z);
  return z;
}
}  // namespace ks
static inline double erfcinv(double y) {
  if (!(y >= 0.0 && y <= 2.0)) return NAN;
  if (y == 0.0 || y == 2.0) return y == 0.0 ? HUGE_VAL : -HUGE_VAL;
  if (y > 0.5 && y < 1.5) return ks::erf_inverse_small(1.0 - y);
  return y <= 1.0 ? ks::erfc_inverse(y) : -ks::erfc_inverse(2.0 - y);
}
static inline double erfinv(double x) {
  if (!(fabs(x) <= 1.0)) return NAN;
  if (fabs(x) == 1.0) return copysign(HUGE_VAL, x);
  if (fabs(x) <= 0.5) return ks::erf_inverse_small(x);
  return copysign(ks::erfc_inverse(1.0 - fabs(x)), x);
}
static inline float erfinvf(float x) { return float(erfinv(double(x))); }
static inline float erfcinvf(float y) { return float(erfcinv(double(y))); }
static inline double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2.0 * p); }
static inline float normcdfinvf(float p) { return float(normcdfinv(double(p))); }
#if defined(__cpp_lib_math_special_functions)
static inline double cyl_bessel_i0(double x) { return ::std::cyl_bessel_i(0.0, fabs(x)); }
static inline double cyl_bessel_i1(double x) { return copysign(::std::cyl_bessel_i(1.0, fabs(x)), x); }
static inline float cyl_bessel_i0f(float x) { return float(cyl_bessel_i0(double(x))); }
static inline float cyl_bessel_i1f(float x) { return float(cyl_bessel_i1(double(x))); }
#endif
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

#endif
