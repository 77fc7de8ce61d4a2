// What cub's primitives share: operators, places in the block, and storage whose type does not matter to a union.
#ifndef KS_CUB_COMMON_H
#define KS_CUB_COMMON_H
#include "../cuda/functional"
#include "../cuda_runtime.h"
#include "groups.h"

namespace ks {

/** Room for objects in shared memory: no constructor runs, as none does on the device. */
template <class T, int Count>
struct Room {
  alignas(T) unsigned char bytes[sizeof(T) * Count];
  T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};
/** The thread's number in a block of these sizes: as cub does, a dimension of one is not looked at. */
template <int X, int Y, int Z>
static inline int thread_of_block() {
  return int(threadIdx.x) + (Y == 1 ? 0 : int(threadIdx.y) * X) + (Z == 1 ? 0 : int(threadIdx.z) * X * Y);
}

}  // namespace ks

namespace cub {

struct NullType {};
template <class K, class V>
struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  KeyValuePair() = default;
  KeyValuePair(const K& k, const V& v) : key(k), value(v) {}
  bool operator!=(const KeyValuePair& b) const { return value != b.value || key != b.key; }
};

struct Equality {
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const {
    return a == b;
  }
};
struct Inequality {
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const {
    return a != b;
  }
};
struct Sum {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct Difference {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return a - b;
  }
};
typedef ::cuda::maximum<> Max;
typedef ::cuda::minimum<> Min;
/** The larger value; of equal ones the lower key. */
struct ArgMax {
  template <class K, class V>
  constexpr KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  constexpr KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

static inline unsigned LaneId() { return ks::lane(); }
static inline int RowMajorTid(int x, int y, int z) {
  return int(threadIdx.x) + (y == 1 ? 0 : int(threadIdx.y) * x) + (z == 1 ? 0 : int(threadIdx.z) * x * y);
}

}  // namespace cub

/** How every block primitive is made: with the caller's storage, or with its own. */
#define KS_CUB_PRIMITIVE(NAME)                                         \
  NAME() : storage_(own()) {}                                          \
  NAME(TempStorage& storage) : storage_(storage) {}                    \
                                                                       \
 private:                                                              \
  TempStorage& storage_;                                               \
  static TempStorage& own() {                                          \
    static __shared__ TempStorage storage;                             \
    return storage;                                                    \
  }                                                                    \
                                                                       \
 public:

#endif
