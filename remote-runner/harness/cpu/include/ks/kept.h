// Arguments of kernels as each thread has them.
#ifndef KS_KEPT_H
#define KS_KEPT_H
#include <string.h>

#include <new>
#include <type_traits>

namespace ks {

/**
 * Types with a constructor or destructor that does something: the ABI hands them over by reference to an object of the
 * caller. CUDA copies such an argument once, on the host, and gives every thread its bytes; no thread constructs or
 * destroys one.
 */
template <class T>
constexpr bool is_object = std::is_class<T>::value &&
                           (!std::is_trivially_destructible<T>::value ||
                            (std::is_copy_constructible<T>::value && !std::is_trivially_copy_constructible<T>::value) ||
                            (std::is_move_constructible<T>::value && !std::is_trivially_move_constructible<T>::value));

/** The bytes of an argument. */
template <class P, bool = is_object<P>>
struct Kept {
  P value;
  explicit Kept(const P& from) : value(from) {}
  P& get() { return value; }
};
template <class P>
struct Kept<P, true> {
  alignas(P) char bytes[sizeof(P)];
  explicit Kept(const P& from) { memcpy(bytes, static_cast<const void*>(&from), sizeof bytes); }
  P& get() { return *std::launder(reinterpret_cast<P*>(bytes)); }
};

}  // namespace ks

#endif
