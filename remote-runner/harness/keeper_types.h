// Element types as the keeper reads and writes them: no CUDA headers, so that it builds on any machine.
#pragma once
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum class Dtype { f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64, boolean };
using Integer = __int128;  // holds signed and unsigned 64-bit values

// Names travel without blanks: `unsigned_int`.
inline bool dtypeNamed(const char* name, Dtype* out) {
  static const struct { const char* name; Dtype dtype; } names[] = {
      {"float", Dtype::f32}, {"double", Dtype::f64}, {"half", Dtype::f16}, {"__nv_bfloat16", Dtype::bf16},
      {"signed_char", Dtype::i8}, {"unsigned_char", Dtype::u8}, {"short", Dtype::i16}, {"unsigned_short", Dtype::u16},
      {"int", Dtype::i32}, {"unsigned_int", Dtype::u32}, {"long_long", Dtype::i64}, {"unsigned_long_long", Dtype::u64},
      {"bool", Dtype::boolean}};
  for (const auto& n : names)
    if (!std::strcmp(n.name, name)) return *out = n.dtype, true;
  return false;
}

inline bool isReal(Dtype d) { return d <= Dtype::bf16; }

inline size_t sizeOf(Dtype d) {
  switch (d) {
    case Dtype::f64: case Dtype::i64: case Dtype::u64: return 8;
    case Dtype::f32: case Dtype::i32: case Dtype::u32: return 4;
    case Dtype::f16: case Dtype::bf16: case Dtype::i16: case Dtype::u16: return 2;
    default: return 1;
  }
}

template <typename T>
T readAt(const char* base, size_t i) {
  T value;
  std::memcpy(&value, base + i * sizeof(T), sizeof(T));
  return value;
}
template <typename T>
void writeAt(char* base, size_t i, T value) {
  std::memcpy(base + i * sizeof(T), &value, sizeof(T));
}

inline double halfToDouble(uint16_t h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  const double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                           : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                          : std::ldexp(fraction, -24);
  return h >> 15 ? -magnitude : magnitude;
}

// Round to nearest, ties to even, by scaling to the spacing of halves at this magnitude.
inline uint16_t doubleToHalf(double v) {
  const uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  const double a = std::fabs(v);
  if (std::isnan(v)) return 0x7e00;
  if (a >= 65520) return sign | 0x7c00;
  if (a == 0) return sign;
  int exponent = std::max(std::ilogb(a), -14);
  const long units = std::lrint(std::ldexp(a, 10 - exponent));  // 1024…2048 for normals, below 1024 for subnormals
  // A carry out of the fraction lands in the exponent by plain addition.
  return sign | (uint16_t)(((exponent + 14) << 10) + units);
}

inline double bf16ToDouble(uint16_t h) {
  const uint32_t bits = (uint32_t)h << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

inline uint16_t doubleToBf16(double v) {
  const float f = (float)v;
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  if (std::isnan(f)) return 0x7fff;
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline double loadReal(Dtype d, const char* base, size_t i) {
  switch (d) {
    case Dtype::f32: return readAt<float>(base, i);
    case Dtype::f64: return readAt<double>(base, i);
    case Dtype::f16: return halfToDouble(readAt<uint16_t>(base, i));
    default: return bf16ToDouble(readAt<uint16_t>(base, i));
  }
}

inline Integer loadInteger(Dtype d, const char* base, size_t i) {
  switch (d) {
    case Dtype::i8: return readAt<int8_t>(base, i);
    case Dtype::i16: return readAt<int16_t>(base, i);
    case Dtype::i32: return readAt<int32_t>(base, i);
    case Dtype::i64: return readAt<int64_t>(base, i);
    case Dtype::u16: return readAt<uint16_t>(base, i);
    case Dtype::u32: return readAt<uint32_t>(base, i);
    case Dtype::u64: return readAt<uint64_t>(base, i);
    default: return readAt<uint8_t>(base, i);
  }
}

inline void storeInteger(Dtype d, char* base, size_t i, long long v) {
  switch (d) {
    case Dtype::f32: return writeAt(base, i, (float)v);
    case Dtype::f64: return writeAt(base, i, (double)v);
    case Dtype::f16: return writeAt(base, i, doubleToHalf((double)v));
    case Dtype::bf16: return writeAt(base, i, doubleToBf16((double)v));
    case Dtype::boolean: return writeAt(base, i, (uint8_t)(v != 0));
    default: break;
  }
  switch (sizeOf(d)) {
    case 1: return writeAt(base, i, (uint8_t)v);
    case 2: return writeAt(base, i, (uint16_t)v);
    case 4: return writeAt(base, i, (uint32_t)v);
    default: return writeAt(base, i, (uint64_t)v);
  }
}

// Integers take the nearest whole number, so that `normal` and `uniform` mean something for them too.
inline void storeReal(Dtype d, char* base, size_t i, double v) {
  switch (d) {
    case Dtype::f32: return writeAt(base, i, (float)v);
    case Dtype::f64: return writeAt(base, i, v);
    case Dtype::f16: return writeAt(base, i, doubleToHalf(v));
    case Dtype::bf16: return writeAt(base, i, doubleToBf16(v));
    default: return storeInteger(d, base, i, std::llrint(v));
  }
}

// One unit in the last place up (+1) or down (-1); finite values stay finite and zero stays zero.
inline void nudgeElement(Dtype d, char* base, size_t i, int direction) {
  const double v = loadReal(d, base, i);
  if (direction == 0 || v == 0 || !std::isfinite(v)) return;
  const size_t size = sizeOf(d);
  uint64_t bits = 0;
  std::memcpy(&bits, base + i * size, size);
  char saved[8];
  std::memcpy(saved, &bits, 8);
  bits += direction;  // floats are ordered as their bits are, within one sign
  std::memcpy(base + i * size, &bits, size);
  if (!std::isfinite(loadReal(d, base, i))) std::memcpy(base + i * size, saved, size);
}

inline void printElement(Dtype d, const char* base, size_t i) {
  if (!isReal(d)) {
    if (d == Dtype::u64) std::printf("%" PRIu64, readAt<uint64_t>(base, i));
    else std::printf("%lld", (long long)loadInteger(d, base, i));
    return;
  }
  const double v = loadReal(d, base, i);
  if (std::isnan(v)) std::printf("nan");
  else if (std::isinf(v)) std::printf(v > 0 ? "inf" : "-inf");
  else {
    // The shortest text that reads back as the same value.
    char text[32];
    for (int digits = 1; digits <= 17; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, v);
      if (d == Dtype::f64 ? std::strtod(text, nullptr) == v : std::strtof(text, nullptr) == (float)v) break;
    }
    std::fputs(text, stdout);
  }
}
