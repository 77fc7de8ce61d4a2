// SIMD within a word: four 8-bit or two 16-bit integers in an unsigned int, each computed by itself.
#ifndef KS_SIMD_H
#define KS_SIMD_H

namespace ks {

/** Applies `f` to the parts of up to two words, `Bits` wide, and keeps the low bits of what it gives. */
template <int Bits, bool Signed, class F>
static inline unsigned lanes(unsigned a, unsigned b, F f) {
  constexpr unsigned mask = (1u << Bits) - 1u;
  unsigned result = 0;
  for (int at = 0; at < 32; at += Bits) {
    const int x = int(a << (32 - Bits - at)) >> (32 - Bits), y = int(b << (32 - Bits - at)) >> (32 - Bits);
    result |= (unsigned(f(Signed ? x : int(unsigned(x) & mask), Signed ? y : int(unsigned(y) & mask))) & mask) << at;
  }
  return result;
}
template <int Bits, bool Signed>
static inline int saturated(int v) {
  constexpr int low = Signed ? -(1 << (Bits - 1)) : 0, high = Signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1;
  return v < low ? low : v > high ? high : v;
}
template <int Bits, bool Signed>
static inline unsigned sum_of_differences(unsigned a, unsigned b) {
  const unsigned apart = lanes<Bits, Signed>(a, b, [](int x, int y) { return x > y ? x - y : y - x; });
  unsigned sum = 0;
  for (int at = 0; at < 32; at += Bits) sum += apart >> at & ((1u << Bits) - 1u);
  return sum;
}

}  // namespace ks

#define KS_LANES1(NAME, SIGNED, N, BITS, VALUE)                             \
  static inline unsigned __v##NAME##N(unsigned a) {                         \
    return ks::lanes<BITS, SIGNED>(a, 0u, [](int x, int) { return VALUE; }); \
  }
#define KS_LANES2(NAME, SIGNED, N, BITS, VALUE)                              \
  static inline unsigned __v##NAME##N(unsigned a, unsigned b) {              \
    return ks::lanes<BITS, SIGNED>(a, b, [](int x, int y) { return VALUE; }); \
  }
#define KS_COMPARE(NAME, SIGNED, N, BITS, OP)              \
  KS_LANES2(cmp##NAME, SIGNED, N, BITS, (x OP y ? -1 : 0)) \
  KS_LANES2(set##NAME, SIGNED, N, BITS, (x OP y ? 1 : 0))
#define KS_SIMD(N, BITS)                                                      \
  KS_LANES1(abs, true, N, BITS, (x < 0 ? -x : x))                             \
  KS_LANES1(absss, true, N, BITS, (ks::saturated<BITS, true>(x < 0 ? -x : x))) \
  KS_LANES1(neg, true, N, BITS, -x)                                           \
  KS_LANES1(negss, true, N, BITS, (ks::saturated<BITS, true>(-x)))            \
  KS_LANES2(add, true, N, BITS, x + y)                                        \
  KS_LANES2(addss, true, N, BITS, (ks::saturated<BITS, true>(x + y)))         \
  KS_LANES2(addus, false, N, BITS, (ks::saturated<BITS, false>(x + y)))       \
  KS_LANES2(sub, true, N, BITS, x - y)                                        \
  KS_LANES2(subss, true, N, BITS, (ks::saturated<BITS, true>(x - y)))         \
  KS_LANES2(subus, false, N, BITS, (ks::saturated<BITS, false>(x - y)))       \
  /* Signed averages round away from zero. */                                 \
  KS_LANES2(avgs, true, N, BITS, ((x + y + (x + y >= 0)) >> 1))               \
  KS_LANES2(avgu, false, N, BITS, ((x + y + 1) >> 1))                         \
  KS_LANES2(haddu, false, N, BITS, ((x + y) >> 1))                            \
  KS_LANES2(absdiffs, true, N, BITS, (x > y ? x - y : y - x))                 \
  KS_LANES2(absdiffu, false, N, BITS, (x > y ? x - y : y - x))                \
  KS_LANES2(maxs, true, N, BITS, (x > y ? x : y))                             \
  KS_LANES2(maxu, false, N, BITS, (x > y ? x : y))                            \
  KS_LANES2(mins, true, N, BITS, (x < y ? x : y))                             \
  KS_LANES2(minu, false, N, BITS, (x < y ? x : y))                            \
  KS_COMPARE(eq, false, N, BITS, ==)                                          \
  KS_COMPARE(ne, false, N, BITS, !=)                                          \
  KS_COMPARE(ges, true, N, BITS, >=)                                          \
  KS_COMPARE(geu, false, N, BITS, >=)                                         \
  KS_COMPARE(gts, true, N, BITS, >)                                           \
  KS_COMPARE(gtu, false, N, BITS, >)                                          \
  KS_COMPARE(les, true, N, BITS, <=)                                          \
  KS_COMPARE(leu, false, N, BITS, <=)                                         \
  KS_COMPARE(lts, true, N, BITS, <)                                           \
  KS_COMPARE(ltu, false, N, BITS, <)                                          \
  static inline unsigned __vsads##N(unsigned a, unsigned b) { return ks::sum_of_differences<BITS, true>(a, b); } \
  static inline unsigned __vsadu##N(unsigned a, unsigned b) { return ks::sum_of_differences<BITS, false>(a, b); }
KS_SIMD(2, 16)
KS_SIMD(4, 8)
#undef KS_SIMD
#undef KS_COMPARE
#undef KS_LANES2
#undef KS_LANES1

#endif
