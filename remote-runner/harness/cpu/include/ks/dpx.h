// DPX: sums with extremes, and extremes of three, of words and of pairs of 16-bit integers; _relu is never below zero.
#ifndef KS_DPX_H
#define KS_DPX_H
#include "simd.h"

namespace ks {

struct Least {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Most {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
/** Two words of pairs at a time, the third by the closure's own lanes. */
template <bool Signed, class Op>
static inline unsigned extreme_of_pairs(unsigned a, unsigned b, Op op) {
  return lanes<16, Signed>(a, b, op);
}
static inline unsigned added_pairs(unsigned a, unsigned b) {
  return lanes<16, true>(a, b, [](int x, int y) { return x + y; });
}
static inline unsigned rectified_pairs(unsigned a) {
  return lanes<16, true>(a, 0u, [](int x, int) { return x > 0 ? x : 0; });
}
static inline int rectified(int v) { return v > 0 ? v : 0; }
static inline int wrapped_sum(int a, int b) { return int(unsigned(a) + unsigned(b)); }

}  // namespace ks

#define KS_DPX(NAME, OP)                                                                                              \
  static inline int __vi##NAME##3_s32(int a, int b, int c) { return ks::OP()(ks::OP()(a, b), c); }                    \
  static inline unsigned __vi##NAME##3_u32(unsigned a, unsigned b, unsigned c) {                                      \
    return ks::OP()(ks::OP()(a, b), c);                                                                               \
  }                                                                                                                   \
  static inline unsigned __vi##NAME##3_s16x2(unsigned a, unsigned b, unsigned c) {                                    \
    return ks::extreme_of_pairs<true>(ks::extreme_of_pairs<true>(a, b, ks::OP()), c, ks::OP());                       \
  }                                                                                                                   \
  static inline unsigned __vi##NAME##3_u16x2(unsigned a, unsigned b, unsigned c) {                                    \
    return ks::extreme_of_pairs<false>(ks::extreme_of_pairs<false>(a, b, ks::OP()), c, ks::OP());                     \
  }                                                                                                                   \
  static inline int __vi##NAME##3_s32_relu(int a, int b, int c) { return ks::rectified(__vi##NAME##3_s32(a, b, c)); } \
  static inline unsigned __vi##NAME##3_s16x2_relu(unsigned a, unsigned b, unsigned c) {                               \
    return ks::rectified_pairs(__vi##NAME##3_s16x2(a, b, c));                                                         \
  }                                                                                                                   \
  static inline int __vi##NAME##_s32_relu(int a, int b) { return ks::rectified(ks::OP()(a, b)); }                     \
  static inline unsigned __vi##NAME##_s16x2_relu(unsigned a, unsigned b) {                                            \
    return ks::rectified_pairs(ks::extreme_of_pairs<true>(a, b, ks::OP()));                                           \
  }                                                                                                                   \
  static inline int __viadd##NAME##_s32(int a, int b, int c) { return ks::OP()(ks::wrapped_sum(a, b), c); }           \
  static inline unsigned __viadd##NAME##_u32(unsigned a, unsigned b, unsigned c) { return ks::OP()(a + b, c); }       \
  static inline unsigned __viadd##NAME##_s16x2(unsigned a, unsigned b, unsigned c) {                                  \
    return ks::extreme_of_pairs<true>(ks::added_pairs(a, b), c, ks::OP());                                            \
  }                                                                                                                   \
  static inline unsigned __viadd##NAME##_u16x2(unsigned a, unsigned b, unsigned c) {                                  \
    return ks::extreme_of_pairs<false>(ks::added_pairs(a, b), c, ks::OP());                                           \
  }                                                                                                                   \
  static inline int __viadd##NAME##_s32_relu(int a, int b, int c) {                                                   \
    return ks::rectified(__viadd##NAME##_s32(a, b, c));                                                               \
  }                                                                                                                   \
  static inline unsigned __viadd##NAME##_s16x2_relu(unsigned a, unsigned b, unsigned c) {                             \
    return ks::rectified_pairs(__viadd##NAME##_s16x2(a, b, c));                                                       \
  }
KS_DPX(min, Least)
KS_DPX(max, Most)
#undef KS_DPX

// With a flag for each part: is it the first argument that came out?
#define KS_WITH_FLAG(NAME, T, OP)                              \
  static inline T __vib##NAME(T a, T b, bool* first) {         \
    *first = a OP b;                                           \
    return *first ? a : b;                                     \
  }
KS_WITH_FLAG(max_s32, int, >=)
KS_WITH_FLAG(max_u32, unsigned, >=)
KS_WITH_FLAG(min_s32, int, <=)
KS_WITH_FLAG(min_u32, unsigned, <=)
#undef KS_WITH_FLAG
#define KS_WITH_FLAGS(NAME, T, OP)                                                            \
  static inline unsigned __vib##NAME(unsigned a, unsigned b, bool* high, bool* low) {         \
    *high = (T)(a >> 16) OP(T)(b >> 16);                                                       \
    *low = (T)a OP(T)b;                                                                      \
    return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                      \
  }
KS_WITH_FLAGS(max_s16x2, short, >=)
KS_WITH_FLAGS(max_u16x2, unsigned short, >=)
KS_WITH_FLAGS(min_s16x2, short, <=)
KS_WITH_FLAGS(min_u16x2, unsigned short, <=)
#undef KS_WITH_FLAGS

#endif
