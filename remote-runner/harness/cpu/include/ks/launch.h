// What the rewriter turns `kernel<<<grid, block, shared, stream>>>(arguments)` into:
// `::ks_kernel([=](auto&& a0, auto&& a1) { kernel(a0, a1); }, KS_KERNEL(kernel)).ks_on(grid, block, shared, stream)(arguments)`.
// Arguments are evaluated once and copied, as CUDA does; overloads and template arguments are resolved in the lambda.
#ifndef KS_LAUNCH_H
#define KS_LAUNCH_H
#include <tuple>
#include <type_traits>
#include <utility>

#include "../cuda_runtime_api.h"
#include "abi.h"
#include "free.h"
#include "kept.h"
#include "threads.h"

// Static shared variables are thread-local ones and start poisoned; a source with thread_local variables of its own
// keeps them.
#if defined(KS_KEEP_THREAD_LOCALS)
#define KS_MODULE(address) nullptr
#else
#define KS_MODULE(address) reinterpret_cast<const void*>(address)
#endif

/** The kernel's address, where it is one function: not for overloads, nor where template arguments are deduced. */
#define KS_KERNEL(...) [&](auto ks_) -> decltype(ks_.of(__VA_ARGS__)) { return ks_.of(__VA_ARGS__); }

namespace ks {

struct Address {
  template <class... P>
  static auto of(void (*kernel)(P...)) {
    return kernel;
  }
};
/** Stands for a braced list among the arguments: the list itself is written in the lambda. */
struct Braced {};

template <class... A>
struct Arguments;
template <>
struct Arguments<> {
  template <class F, class... Done>
  __attribute__((always_inline)) void apply(const F& f, Done&... done) const {
    f(done...);
  }
};
template <class Head, class... Tail>
struct Arguments<Head, Tail...> {
  Head head;
  Arguments<Tail...> tail;
  template <class F, class... Done>
  __attribute__((always_inline)) void apply(const F& f, Done&... done) const {
    tail.apply(f, done..., head);
  }
};

template <class F, class A>
struct Call {
  F call;
  A arguments;

  static void run(const void* closure) {
    const Call& self = *static_cast<const Call*>(closure);
    each_thread([&self]() __attribute__((always_inline)) { self.arguments.apply(self.call); });
  }
};

template <class P>
using Passed = std::conditional_t<is_object<P>, P&, P>;

/** A call by the kernel's address. */
template <class... P>
struct AddressCall {
  void (*kernel)(Passed<P>...);
  std::tuple<Kept<P>...> arguments;

  static void run(const void* closure) {
    const AddressCall& self = *static_cast<const AddressCall*>(closure);
    each_thread([&self] { self.thread(std::index_sequence_for<P...>()); });
  }

 private:
  template <size_t... I>
  void thread(std::index_sequence<I...>) const {
    std::tuple<Kept<P>...> own(arguments);
    (void)own;
    kernel(std::get<I>(own).get()...);
  }
};

template <class... P>
void launch_address(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, CUstream_st* stream,
                    const std::decay_t<P>&... arguments) {
  // The compiler must not see through the conversion: by the ABI both types are called alike.
  auto called = reinterpret_cast<void (*)(Passed<std::decay_t<P>>...)>(kernel);
  __asm__("" : "+r"(called));
  typedef AddressCall<std::decay_t<P>...> Bound;
  const Bound closure{called, std::tuple<Kept<std::decay_t<P>>...>(Kept<std::decay_t<P>>(arguments)...)};
  ks_launch({grid, block, shared, stream, &Bound::run, &closure, sizeof closure, true, KS_MODULE(&Bound::run),
             reinterpret_cast<const void*>(kernel)});
}

/** An argument as the parameter's type; 0 for a null pointer has become a variable on its way here. */
template <class P, class A>
P as_parameter(A&& argument) {
  if constexpr (std::is_pointer<P>::value && std::is_integral<std::decay_t<A>>::value) {
    return reinterpret_cast<P>(static_cast<uintptr_t>(argument));
  } else {
    return static_cast<A&&>(argument);
  }
}
template <class... P, class... A>
void launch_objects(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, CUstream_st* stream, A&&... arguments) {
  launch_address<P...>(kernel, grid, block, shared, stream, as_parameter<std::decay_t<P>>(static_cast<A&&>(arguments))...);
}

template <class... P>
constexpr bool takes_objects(void (*)(P...)) {
  return (is_object<std::decay_t<P>> || ... || false);
}
template <size_t N, class... P>
constexpr bool takes(void (*)(P...)) {
  return sizeof...(P) == N;
}

/** Where the kernel's address is not known, objects are not copied for every thread: they outlive the launch. */
template <class A>
using Held = std::conditional_t<is_object<std::decay_t<A>>, std::remove_reference_t<A>&, std::decay_t<A>>;

template <class... A>
struct Bind {
  static Arguments<> of() { return {}; }
};
template <class H, class... T>
struct Bind<H, T...> {
  static Arguments<Held<H>, Held<T>...> of(H&& h, T&&... t) { return {h, Bind<T...>::of(static_cast<T&&>(t)...)}; }
};

/** @tparam IsOwn the lambda holds what it uses, so it may be called after its launcher has returned */
template <class F, class K, bool IsOwn>
struct Configured {
  F call;
  K kernel;
  dim3 grid, block;
  size_t shared;
  CUstream_st* stream;

  template <class... A>
  void operator()(A&&... arguments) const {
    constexpr bool isBraced = (std::is_same<std::decay_t<A>, Braced>::value || ... || false);
    constexpr bool hasObjects = (is_object<std::decay_t<A>> || ... || false);
    if constexpr (std::is_invocable<K, Address>::value) {
      typedef decltype(kernel(Address())) Pointer;
      if constexpr (takes_objects(Pointer()) && takes<sizeof...(A)>(Pointer()) && !isBraced) {
        launch_objects(kernel(Address()), grid, block, shared, stream, static_cast<A&&>(arguments)...);
        return;
      } else {
#if defined(KS_KERNEL_ADDRESSES)
        run<IsOwn && !isBraced && !hasObjects>(reinterpret_cast<const void*>(kernel(Address())),
                                               static_cast<A&&>(arguments)...);
        return;
#endif
      }
    }
    run<IsOwn && !isBraced && !hasObjects>(nullptr, static_cast<A&&>(arguments)...);
  }

 private:
  template <bool IsWhole, class... A>
  void run(const void* address, A&&... arguments) const {
    auto bound = Bind<A...>::of(static_cast<A&&>(arguments)...);
    typedef Call<F, decltype(bound)> Bound;
    const Bound closure{call, bound};
    ks_launch({grid, block, shared, stream, &Bound::run, &closure, sizeof closure, IsWhole, KS_MODULE(&Bound::run),
               address});
  }
};

template <class F, class K, bool IsOwn>
struct Kernel {
  F call;
  K address;
  Configured<F, K, IsOwn> ks_on(dim3 grid, dim3 block, size_t shared = 0, CUstream_st* stream = nullptr) const {
    return {call, address, grid, block, shared, stream};
  }
};
template <class... P, size_t... I>
void launch_pointers(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared, CUstream_st* stream,
                     std::index_sequence<I...>) {
  (void)arguments;
  launch_address<P...>(kernel, grid, block, shared, stream, *static_cast<std::decay_t<P>*>(arguments[I])...);
}
template <class... P>
void launch_erased(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, CUstream_st* stream) {
  launch_pointers(reinterpret_cast<void (*)(P...)>(const_cast<void*>(kernel)), grid, block, arguments, shared, stream,
                  std::index_sequence_for<P...>());
}
}  // namespace ks

// Names that the rewriter writes into macros too: no parameter of one will be called so.
/** A launch whose lambda holds copies of what it uses. */
template <class F, class K>
ks::Kernel<F, K, true> ks_kernel(F call, K address) {
  return {call, address};
}
/** A launch whose lambda refers to its surroundings: they must still be there when it runs. */
template <class F, class K>
ks::Kernel<F, K, false> ks_kernel_here(F call, K address) {
  return {call, address};
}

typedef ks::Braced ks_braced;
/** A kernel's address without its type, after which launches by that address work. */
template <class... P>
void* ks_erased(void (*kernel)(P...)) {
  ks_register_kernel(reinterpret_cast<const void*>(kernel), &ks::launch_erased<P...>);
  return reinterpret_cast<void*>(kernel);
}
inline void* ks_erased(const void* other) { return const_cast<void*>(other); }


extern "C" KS_EXPORT cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                                  size_t shared = 0, cudaStream_t stream = nullptr);
template <class... P>
static inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                           size_t shared = 0, cudaStream_t stream = nullptr) {
  ks::launch_pointers(kernel, grid, block, arguments, shared, stream, std::index_sequence_for<P...>());
  return cudaPeekAtLastError();
}

extern "C" KS_EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                                     void** arguments);
/** 0 if the CPU target can honour the attributes of this launch. */
extern "C" KS_EXPORT cudaError_t ks_check_attributes(const cudaLaunchConfig_t* config);
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... arguments) {
  if (cudaError_t error = ks_check_attributes(config)) return error;
  ks::launch_objects(kernel, config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream,
                     static_cast<A&&>(arguments)...);
  return cudaPeekAtLastError();
}

#endif
