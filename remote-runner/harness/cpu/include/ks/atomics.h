// Atomic functions. Blocks run on several OS threads, so every one of them is a real atomic operation.
#ifndef KS_ATOMICS_H
#define KS_ATOMICS_H
#include "sync.h"

namespace ks {

/** The value before; `next` computes the value to store. Works on the bits, so that NaN compares equal to itself. */
template <class Bits, class T, class F>
static inline T update(T* address, F next) {
  static_assert(sizeof(Bits) == sizeof(T), "the bits of T");
  poll();
  Bits* place = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(place, __ATOMIC_RELAXED);
  for (;;) {
    const Bits wanted = bits<Bits>(next(bits<T>(seen)));
    if (__atomic_compare_exchange_n(place, &seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
      return bits<T>(seen);
    }
  }
}
// The bits of float and double are accessed through these, so that type-based alias analysis keeps the order.
typedef unsigned short __attribute__((may_alias)) Bits16;
typedef unsigned int __attribute__((may_alias)) Bits32;
typedef unsigned long long __attribute__((may_alias)) Bits64;

}  // namespace ks

#define KS_INTEGER_ATOMICS(T)                                                               \
  static inline T atomicAdd(T* a, T v) {                                                    \
    ks::poll();                                                                             \
    return __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST);                                      \
  }                                                                                         \
  static inline T atomicExch(T* a, T v) {                                                   \
    ks::poll();                                                                             \
    return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                     \
  }                                                                                         \
  static inline T atomicCAS(T* a, T compare, T v) {                                         \
    ks::poll();                                                                             \
    __atomic_compare_exchange_n(a, &compare, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return compare;                                                                         \
  }                                                                                         \
  static inline T atomicAnd(T* a, T v) {                                                    \
    ks::poll();                                                                             \
    return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST);                                      \
  }                                                                                         \
  static inline T atomicOr(T* a, T v) {                                                     \
    ks::poll();                                                                             \
    return __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST);                                       \
  }                                                                                         \
  static inline T atomicXor(T* a, T v) {                                                    \
    ks::poll();                                                                             \
    return __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST);                                      \
  }
#define KS_ORDERED_ATOMICS(T, B)                                 \
  static inline T atomicMin(T* a, T v) {                         \
    return ks::update<B>(a, [v](T o) { return v < o ? v : o; }); \
  }                                                              \
  static inline T atomicMax(T* a, T v) {                         \
    return ks::update<B>(a, [v](T o) { return v > o ? v : o; }); \
  }

KS_INTEGER_ATOMICS(int)
KS_INTEGER_ATOMICS(unsigned int)
KS_INTEGER_ATOMICS(unsigned long long)
KS_ORDERED_ATOMICS(int, ks::Bits32)
KS_ORDERED_ATOMICS(unsigned int, ks::Bits32)
KS_ORDERED_ATOMICS(long long, ks::Bits64)
KS_ORDERED_ATOMICS(unsigned long long, ks::Bits64)
#undef KS_INTEGER_ATOMICS
#undef KS_ORDERED_ATOMICS

static inline int atomicSub(int* a, int v) {
  ks::poll();
  return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST);
}
static inline unsigned atomicSub(unsigned* a, unsigned v) {
  ks::poll();
  return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST);
}
static inline float atomicAdd(float* a, float v) {
  return ks::update<ks::Bits32>(a, [v](float o) { return o + v; });
}
static inline double atomicAdd(double* a, double v) {
  return ks::update<ks::Bits64>(a, [v](double o) { return o + v; });
}
static inline float atomicExch(float* a, float v) {
  return ks::update<ks::Bits32>(a, [v](float) { return v; });
}
static inline double atomicExch(double* a, double v) {
  return ks::update<ks::Bits64>(a, [v](double) { return v; });
}
static inline unsigned short atomicCAS(unsigned short* a, unsigned short compare, unsigned short v) {
  ks::poll();
  __atomic_compare_exchange_n(a, &compare, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return compare;
}
static inline long long atomicAnd(long long* a, long long v) {
  ks::poll();
  return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST);
}
static inline long long atomicOr(long long* a, long long v) {
  ks::poll();
  return __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST);
}
static inline long long atomicXor(long long* a, long long v) {
  ks::poll();
  return __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST);
}

namespace ks {
/** 128 bits at once: by the processor where the build is for one that can, else under a lock that all share. */
template <class T, class F>
static inline T update128(T* address, F next) {
  static_assert(sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T), "16 bytes, aligned to 16");
  poll();
  typedef unsigned __int128 __attribute__((may_alias)) Bits128;
  Bits128* place = reinterpret_cast<Bits128*>(address);
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
  Bits128 seen = *place;  // may be torn: then the exchange fails
  for (;;) {
    T old, wanted;
    memcpy(&old, &seen, sizeof old);
    wanted = next(old);
    Bits128 bits;
    memcpy(&bits, &wanted, sizeof bits);
    const Bits128 before = __sync_val_compare_and_swap(place, seen, bits);
    if (before == seen) return old;
    seen = before;
  }
#else
  static unsigned char lock;
  while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
  }
  T old;
  memcpy(&old, place, sizeof old);
  const T wanted = next(old);
  memcpy(place, &wanted, sizeof wanted);
  __atomic_clear(&lock, __ATOMIC_RELEASE);
  return old;
#endif
}
template <class T>
using If128 = decltype(sizeof(char[sizeof(T) == 16 ? 1 : -1]));
}  // namespace ks
template <class T, ks::If128<T> = 0>
static inline T atomicCAS(T* a, T compare, T v) {
  return ks::update128(a, [&](T old) { return memcmp(&old, &compare, sizeof old) == 0 ? v : old; });
}
template <class T, ks::If128<T> = 0>
static inline T atomicExch(T* a, T v) {
  return ks::update128(a, [&](T) { return v; });
}
/** Vectors: each part atomically, one after the other, as on the device. */
static inline float2 atomicAdd(float2* a, float2 v) {
  const float x = atomicAdd(&a->x, v.x), y = atomicAdd(&a->y, v.y);
  return float2{x, y};
}
static inline float4 atomicAdd(float4* a, float4 v) {
  const float x = atomicAdd(&a->x, v.x), y = atomicAdd(&a->y, v.y), z = atomicAdd(&a->z, v.z), w = atomicAdd(&a->w, v.w);
  return float4{x, y, z, w};
}
static inline unsigned atomicInc(unsigned* a, unsigned limit) {
  return ks::update<ks::Bits32>(a, [limit](unsigned o) { return o >= limit ? 0u : o + 1u; });
}
static inline unsigned atomicDec(unsigned* a, unsigned limit) {
  return ks::update<ks::Bits32>(a, [limit](unsigned o) { return o == 0u || o > limit ? limit : o - 1u; });
}

// Scopes make no difference between threads of one machine.
#define KS_SCOPES(NAME)                         \
  template <class T, class... V>                \
  static inline T NAME##_block(T* a, V... v) {  \
    return NAME(a, T(v)...);                    \
  }                                             \
  template <class T, class... V>                \
  static inline T NAME##_system(T* a, V... v) { \
    return NAME(a, T(v)...);                    \
  }
KS_SCOPES(atomicAdd)
KS_SCOPES(atomicSub)
KS_SCOPES(atomicExch)
KS_SCOPES(atomicMin)
KS_SCOPES(atomicMax)
KS_SCOPES(atomicInc)
KS_SCOPES(atomicDec)
KS_SCOPES(atomicCAS)
KS_SCOPES(atomicAnd)
KS_SCOPES(atomicOr)
KS_SCOPES(atomicXor)
#undef KS_SCOPES

#endif
