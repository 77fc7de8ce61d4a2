// cuda::std is the C++ library of the machine; what libcu++ has of later standards is added where the standard in use lacks it.
#ifndef KS_CUDA_STD_H
#define KS_CUDA_STD_H
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace cuda {
namespace std {

using namespace ::std;
// A name of both the C library and here would be ambiguous without these.
using ::std::nullptr_t;
using ::std::ptrdiff_t;
using ::std::size_t;

#if __cplusplus < 202002L
template <class T>
struct remove_cvref {
  typedef ::std::remove_cv_t<::std::remove_reference_t<T>> type;
};
template <class T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <class T>
struct type_identity {
  typedef T type;
};
template <class T>
using type_identity_t = typename type_identity<T>::type;
#endif

}  // namespace std
}  // namespace cuda

#endif
