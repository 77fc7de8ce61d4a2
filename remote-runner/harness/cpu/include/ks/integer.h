// Integer intrinsics, cached loads and stores, clocks.
#ifndef KS_INTEGER_H
#define KS_INTEGER_H
#include <time.h>

#include "dpx.h"
#include "math.h"
#include "simd.h"

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    // The top bit of each selector is ignored: PTX's prmt would replicate the sign by it, the function does not.
    const unsigned s = selector >> (4 * i) & 7u;
    result |= (unsigned(bytes >> (8 * s)) & 0xffu) << (8 * i);
  }
  return result;
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return unsigned(((unsigned long long)hi << 32 | lo) << (n & 31u) >> 32);
}
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return unsigned(((unsigned long long)hi << 32 | lo) >> (n & 31u));
}
static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32u ? lo : __funnelshift_l(lo, hi, n);
}
static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32u ? hi : __funnelshift_r(lo, hi, n);
}
static inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline int __mul24(int a, int b) { return int(unsigned(a << 8 >> 8) * unsigned(b << 8 >> 8)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
static inline unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? unsigned(a) - unsigned(b) : unsigned(b) - unsigned(a));
}
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
static inline int __hadd(int a, int b) { return int(((long long)a + b) >> 1); }
static inline int __rhadd(int a, int b) { return int(((long long)a + b + 1) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b) >> 1); }
static inline unsigned __urhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b + 1) >> 1); }
static inline int __dp4a(int a, int b, int c) {
  // Sums wrap.
  unsigned sum = unsigned(c);
  for (int i = 0; i < 4; ++i) sum += unsigned(int((signed char)(a >> (8 * i))) * int((signed char)(b >> (8 * i))));
  return int(sum);
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 0xffu) * (b >> (8 * i) & 0xffu);
  return c;
}

static inline int __dp2a_lo(int a, int b, int c) {
  const int low = int(short(a)) * int((signed char)b), high = (a >> 16) * int((signed char)(b >> 8));
  return int(unsigned(c) + unsigned(low) + unsigned(high));
}
static inline int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return c + (a & 0xffffu) * (b & 0xffu) + (a >> 16) * (b >> 8 & 0xffu);
}
static inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return __dp2a_lo(a, b >> 16, c); }
// Vectors whose parts are the bytes and pairs of bytes of words.
static inline int __dp4a(char4 a, char4 b, int c) { return __dp4a(ks::bits<int>(a), ks::bits<int>(b), c); }
static inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(ks::bits<unsigned>(a), ks::bits<unsigned>(b), c);
}
static inline int __dp2a_lo(short2 a, char4 b, int c) { return __dp2a_lo(ks::bits<int>(a), ks::bits<int>(b), c); }
static inline int __dp2a_hi(short2 a, char4 b, int c) { return __dp2a_hi(ks::bits<int>(a), ks::bits<int>(b), c); }
static inline unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
  return __dp2a_lo(ks::bits<unsigned>(a), ks::bits<unsigned>(b), c);
}
static inline unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
  return __dp2a_hi(ks::bits<unsigned>(a), ks::bits<unsigned>(b), c);
}
/** Place of the n-th set bit from `base` on: upwards, or downwards for n below zero; all ones if there is none. */
static inline unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return base < 32u && mask >> base & 1u ? base : ~0u;
  int left = n < 0 ? -n : n;
  for (int at = int(base); at >= 0 && at < 32; at += n < 0 ? -1 : 1)
    if ((mask >> at & 1u) && --left == 0) return unsigned(at);
  return ~0u;
}
static inline int mulhi(int a, int b) { return __mulhi(a, b); }
static inline unsigned mulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
static inline int mul24(int a, int b) { return __mul24(a, b); }
static inline unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }

// Cache hints mean nothing here; the value is what counts.
#define KS_LOAD(NAME)                \
  template <class T>                 \
  static inline T NAME(const T* p) { \
    return *p;                       \
  }
KS_LOAD(__ldg)
KS_LOAD(__ldca)
KS_LOAD(__ldcg)
KS_LOAD(__ldcs)
KS_LOAD(__ldlu)
KS_LOAD(__ldcv)
#undef KS_LOAD
#define KS_STORE(NAME)                 \
  template <class T>                   \
  static inline void NAME(T* p, T v) { \
    *p = v;                            \
  }
KS_STORE(__stwb)
KS_STORE(__stcg)
KS_STORE(__stcs)
KS_STORE(__stwt)
#undef KS_STORE
static inline size_t __cvta_generic_to_shared(const void* p) { return reinterpret_cast<size_t>(p); }
static inline size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<size_t>(p); }

/** Nanoseconds of the machine's clock, standing for cycles. */
static inline long long clock64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}
static inline unsigned long long __globaltimer() { return (unsigned long long)clock64(); }

#endif
