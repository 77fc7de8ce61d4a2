// Rounding to 16-bit floating-point formats. Each conversion rounds once, to nearest even.
#ifndef KS_SMALL_FLOAT_H
#define KS_SMALL_FLOAT_H
#include "../cuda_runtime.h"

namespace ks {

/**
 * `value` was rounded to nearest from value + error: moves it to the neighbour with an odd last bit if it is inexact. A
 * second rounding to a format at least two bits shorter then gives what one rounding would.
 */
static inline double odd(double value, double error) {
  unsigned long long b = bits<unsigned long long>(value);
  if (error == 0 || !(fabs(value) < HUGE_VAL) || (b & 1u)) return value;
  if (value == 0) return error > 0 ? 4.9406564584124654e-324 : -4.9406564584124654e-324;
  return bits<double>((error > 0) == (value > 0) ? b + 1 : b - 1);
}
static inline float odd_float(double value) {
  const float f = float(value);
  const double error = value - double(f);
  const unsigned b = bits<unsigned>(f);
  if (error == 0 || !(fabsf(f) < HUGE_VALF) || value != value || (b & 1u)) return f;
  if (f == 0) return error > 0 ? 1.401298464e-45f : -1.401298464e-45f;
  return bits<float>((error > 0) == (f > 0) ? b + 1 : b - 1);
}
/** a + b - s exactly, for s the sum rounded to nearest. */
static inline double sum_error(double a, double b, double s) {
  const double bb = s - a;
  return (a - (s - bb)) + (b - bb);
}
/** 64-bit integers have more bits than double: what does not fit is kept as an odd last bit. */
static inline float odd_integer(long long v) {
  const double d = double(v);
  const __int128 rest = (__int128)v - (__int128)d;
  return odd_float(odd(d, double(rest)));
}
static inline float odd_integer(unsigned long long v) {
  const double d = double(v);
  const __int128 rest = (__int128)v - (__int128)d;
  return odd_float(odd(d, double(rest)));
}
/** a * b + c for factors whose product is exact in double, rounded to odd: exact enough for any 16-bit format. */
static inline float fma_odd(float a, float b, float c) {
  const double p = double(a) * double(b), s = p + double(c);
  return odd_float(odd(s, s - s == 0 ? sum_error(p, double(c), s) : 0.0));
}

#if defined(__F16C__)
typedef float Float4 __attribute__((vector_size(16)));
typedef short Short8 __attribute__((vector_size(16)));
#endif

struct HalfFormat {
  static unsigned short round(float x) {
    const unsigned u = bits<unsigned>(x), sign = u >> 16 & 0x8000u;
    unsigned a = u & 0x7fffffffu;
    if (a > 0x7f800000u) return 0x7fff;
#if defined(__F16C__)
    (void)sign;
    (void)a;
    return (unsigned short)__builtin_ia32_vcvtps2ph(Float4{x, 0, 0, 0}, 0)[0];
#else
    if (a >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
    // One half and the smallest subnormal of the format are 2^23 apart: the addition rounds at the right place.
    if (a < 0x38800000u) return (unsigned short)(sign | (bits<unsigned>(bits<float>(a) + 0.5f) - 0x3f000000u));
    a += 0xc8000fffu + (a >> 13 & 1u);
    return (unsigned short)(sign | a >> 13);
#endif
  }
  static float widen(unsigned short h) {
#if defined(__F16C__)
    return __builtin_ia32_vcvtph2ps(Short8{short(h), 0, 0, 0, 0, 0, 0, 0})[0];
#else
    const unsigned sign = (h & 0x8000u) << 16, a = h & 0x7fffu;
    if (a >= 0x7c00u) return bits<float>(sign | 0x7f800000u | (a & 0x3ffu) << 13);
    if (a >= 0x400u) return bits<float>(sign | ((a << 13) + 0x38000000u));
    return bits<float>(sign | bits<unsigned>(float(a) * 5.9604644775390625e-8f));
#endif
  }
  static constexpr unsigned short infinity = 0x7c00;
};

struct Bfloat16Format {
  static unsigned short round(float x) {
    const unsigned u = bits<unsigned>(x);
    if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return (unsigned short)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
  }
  static float widen(unsigned short b) { return bits<float>(unsigned(b) << 16); }
  static constexpr unsigned short infinity = 0x7f80;
};

/** Directed roundings start from the nearest value and step back when it lies on the wrong side. Sign and magnitude. */
template <class Format>
static inline unsigned short round_toward(float x, int direction) {
  unsigned short h = Format::round(x);
  const float back = Format::widen(h);
  if (x != x || back == x) return h;
  const bool up = direction > 0 || (direction == 0 && x < 0);
  if (up && back < x) return (unsigned short)(h & 0x8000u ? h - 1 : h + 1);
  if (!up && back > x) return (unsigned short)(h & 0x8000u ? h + 1 : h - 1);
  if (direction == 0 && fabsf(back) > fabsf(x)) return (unsigned short)(h - 1);
  return h;
}

/** Any number to a format with a rounding of its own: through float, which keeps what decides it as an odd last bit. */
static inline float widened(float v) { return v; }
static inline float widened(int v) { return odd_float(double(v)); }
static inline float widened(unsigned v) { return odd_float(double(v)); }
static inline float widened(short v) { return float(v); }
static inline float widened(unsigned short v) { return float(v); }
static inline float widened(long long v) { return odd_integer(v); }
static inline float widened(unsigned long long v) { return odd_integer(v); }
template <class H, class Format, class T>
static inline H rounded(T v, int direction) {
  H result;
  result.__x = round_toward<Format>(widened(v), direction);
  return result;
}
/** To an integer of fewer than 32 bits; saturates, and what is not a number gives 0. */
template <class I>
static inline I to_narrow(float x) {
  const int v = to_int(x);
  constexpr bool is_signed = I(-1) < I(0);
  constexpr int bits = 8 * int(sizeof(I)), high = (1 << (is_signed ? bits - 1 : bits)) - 1, low = is_signed ? -high - 1 : 0;
  return I(v < low ? low : v > high ? high : v);
}

}  // namespace ks

struct __half;
struct __nv_bfloat16;

#endif
