// make_float4 and its relatives.
#ifndef KS_VECTOR_FUNCTIONS_H
#define KS_VECTOR_FUNCTIONS_H
#include "vector_types.h"

#define KS_MAKERS(NAME, T)                                                            \
  static inline constexpr NAME##1 make_##NAME##1(T x) { return {x}; }                 \
  static inline constexpr NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }         \
  static inline constexpr NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; } \
  static inline constexpr NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

KS_MAKERS(char, signed char)
KS_MAKERS(uchar, unsigned char)
KS_MAKERS(short, short)
KS_MAKERS(ushort, unsigned short)
KS_MAKERS(int, int)
KS_MAKERS(uint, unsigned int)
KS_MAKERS(long, long)
KS_MAKERS(ulong, unsigned long)
KS_MAKERS(longlong, long long)
KS_MAKERS(ulonglong, unsigned long long)
KS_MAKERS(float, float)
KS_MAKERS(double, double)
#undef KS_MAKERS
#define KS_MAKER(NAME, T) \
  static inline constexpr NAME make_##NAME(T x, T y, T z, T w) { return {x, y, z, w}; }
KS_MAKER(long4_16a, long)
KS_MAKER(long4_32a, long)
KS_MAKER(ulong4_16a, unsigned long)
KS_MAKER(ulong4_32a, unsigned long)
KS_MAKER(longlong4_16a, long long)
KS_MAKER(longlong4_32a, long long)
KS_MAKER(ulonglong4_16a, unsigned long long)
KS_MAKER(ulonglong4_32a, unsigned long long)
KS_MAKER(double4_16a, double)
KS_MAKER(double4_32a, double)
#undef KS_MAKER

#endif
