// Arithmetic and conversions with a rounding of their own, saturating conversions, and the bits of numbers.
#ifndef KS_ROUNDING_H
#define KS_ROUNDING_H
#include <fenv.h>
#include <math.h>

#include "sync.h"

namespace ks {

/** The processor's rounding, changed for the life of this object: the operation in between works on volatile operands. */
class Rounding {
 public:
  explicit Rounding(int mode) : before_(fegetround()) { fesetround(mode); }
  ~Rounding() { fesetround(before_); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  int before_;
};
/** `To(value)` in a rounding mode. */
template <class To, class From>
static inline To convert(From value, int mode) {
  volatile From x = value;
  const Rounding rounding(mode);
  volatile To result = To(x);
  return result;
}

}  // namespace ks

#define KS_BINARY(NAME, T, OP, MODE)       \
  static inline T NAME(T a, T b) {         \
    volatile T x = a, y = b;               \
    const ks::Rounding rounding(MODE);     \
    volatile T result = x OP y;            \
    return result;                         \
  }
#define KS_ROUNDED(S, MODE)                                                \
  KS_BINARY(__fadd_##S, float, +, MODE)                                    \
  KS_BINARY(__fsub_##S, float, -, MODE)                                    \
  KS_BINARY(__fmul_##S, float, *, MODE)                                    \
  KS_BINARY(__fdiv_##S, float, /, MODE)                                    \
  KS_BINARY(__dadd_##S, double, +, MODE)                                   \
  KS_BINARY(__dsub_##S, double, -, MODE)                                   \
  KS_BINARY(__dmul_##S, double, *, MODE)                                   \
  KS_BINARY(__ddiv_##S, double, /, MODE)                                   \
  static inline float __frcp_##S(float a) { return __fdiv_##S(1.0f, a); }  \
  static inline double __drcp_##S(double a) { return __ddiv_##S(1.0, a); } \
  static inline float __fsqrt_##S(float a) {                               \
    volatile float x = a;                                                  \
    const ks::Rounding rounding(MODE);                                     \
    volatile float result = sqrtf(x);                                      \
    return result;                                                         \
  }                                                                        \
  static inline double __dsqrt_##S(double a) {                             \
    volatile double x = a;                                                 \
    const ks::Rounding rounding(MODE);                                     \
    volatile double result = sqrt(x);                                      \
    return result;                                                         \
  }                                                                        \
  static inline float __fmaf_##S(float a, float b, float c) {              \
    volatile float x = a, y = b, z = c;                                    \
    const ks::Rounding rounding(MODE);                                     \
    volatile float result = fmaf(x, y, z);                                 \
    return result;                                                         \
  }                                                                        \
  static inline double __fma_##S(double a, double b, double c) {           \
    volatile double x = a, y = b, z = c;                                   \
    const ks::Rounding rounding(MODE);                                     \
    volatile double result = fma(x, y, z);                                 \
    return result;                                                         \
  }
KS_ROUNDED(rz, FE_TOWARDZERO)
KS_ROUNDED(ru, FE_UPWARD)
KS_ROUNDED(rd, FE_DOWNWARD)
#undef KS_ROUNDED
#undef KS_BINARY
// To nearest even is how everything rounds. Products and sums are not fused: contraction is off.
#define KS_NEAREST(P, T, SQRT)                               \
  static inline T __##P##add_rn(T a, T b) { return a + b; }  \
  static inline T __##P##sub_rn(T a, T b) { return a - b; }  \
  static inline T __##P##mul_rn(T a, T b) { return a * b; }  \
  static inline T __##P##div_rn(T a, T b) { return a / b; }  \
  static inline T __##P##rcp_rn(T a) { return T(1) / a; }    \
  static inline T __##P##sqrt_rn(T a) { return SQRT(a); }
KS_NEAREST(f, float, sqrtf)
KS_NEAREST(d, double, sqrt)
#undef KS_NEAREST
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline float __fmaf_ieee_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __fmaf_ieee_rz(float a, float b, float c) { return __fmaf_rz(a, b, c); }
static inline float __fmaf_ieee_ru(float a, float b, float c) { return __fmaf_ru(a, b, c); }
static inline float __fmaf_ieee_rd(float a, float b, float c) { return __fmaf_rd(a, b, c); }

// ── to floating point ──
#define KS_TO_FLOATING(FROM, NAME, TO, RESULT)                                                        \
  static inline RESULT __##NAME##2##TO##_rn(FROM x) { return RESULT(x); }                             \
  static inline RESULT __##NAME##2##TO##_rz(FROM x) { return ks::convert<RESULT>(x, FE_TOWARDZERO); } \
  static inline RESULT __##NAME##2##TO##_ru(FROM x) { return ks::convert<RESULT>(x, FE_UPWARD); }     \
  static inline RESULT __##NAME##2##TO##_rd(FROM x) { return ks::convert<RESULT>(x, FE_DOWNWARD); }
KS_TO_FLOATING(double, double, float, float)
KS_TO_FLOATING(int, int, float, float)
KS_TO_FLOATING(unsigned, uint, float, float)
KS_TO_FLOATING(long long, ll, float, float)
KS_TO_FLOATING(unsigned long long, ull, float, float)
KS_TO_FLOATING(long long, ll, double, double)
KS_TO_FLOATING(unsigned long long, ull, double, double)
#undef KS_TO_FLOATING
static inline double __int2double_rn(int x) { return double(x); }
static inline double __uint2double_rn(unsigned x) { return double(x); }

// ── to integers ──
namespace ks {
/** Out of range saturates. What is not a number gives 0 for 32 bits from float, else the top bit alone, as on the device. */
template <class I, class F>
static inline I to_integer(F x, F below, F beyond) {
  constexpr bool is_signed = I(-1) < I(0);
  constexpr I top = I(1ull << (8 * sizeof(I) - 1)), low = is_signed ? top : I(0), high = I(~low);
  if (x != x) return sizeof(F) == 4 && sizeof(I) == 4 ? I(0) : top;
  return x <= below ? low : x >= beyond ? high : I(x);
}
template <class F>
static inline int to_int(F x) {
  return to_integer<int, F>(x, F(-2147483648.0), F(2147483648.0));
}
template <class F>
static inline unsigned to_uint(F x) {
  return to_integer<unsigned, F>(x, F(0), F(4294967296.0));
}
template <class F>
static inline long long to_ll(F x) {
  return to_integer<long long, F>(x, F(-9223372036854775808.0), F(9223372036854775808.0));
}
template <class F>
static inline unsigned long long to_ull(F x) {
  return to_integer<unsigned long long, F>(x, F(0), F(18446744073709551616.0));
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
