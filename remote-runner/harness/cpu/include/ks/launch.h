// What the rewriter turns `kernel<<<grid, block, shared, stream>>>(arguments)` into:
// `::ks::kernel([&](auto&& a0, auto&& a1) { kernel(a0, a1); }).on(grid, block, shared, stream)(arguments)`.
// Arguments are evaluated once and copied, as CUDA does; overloads and template arguments are resolved in the lambda.
#ifndef KS_LAUNCH_H
#define KS_LAUNCH_H
#include <type_traits>
#include <utility>

#include "../cuda_runtime_api.h"
#include "abi.h"

// Static shared variables are thread-local ones and start poisoned; a source with thread_local variables of its own
// keeps them.
#if defined(KS_KEEP_THREAD_LOCALS)
#define KS_MODULE(address) nullptr
#else
#define KS_MODULE(address) reinterpret_cast<const void*>(address)
#endif

namespace ks {

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
    const Call local(*static_cast<const Call*>(closure));  // a copy whose address never escapes stays in registers
    while (ks_next_thread.x < blockDim.x || ks_next_row()) {
      unsigned x = ks_next_thread.x;
      const unsigned end = blockDim.x;
      threadIdx.y = ks_next_thread.y;
      threadIdx.z = ks_next_thread.z;
      ks_next_thread.x = end;
      ks_claim = Claim::held;
      do {
        threadIdx.x = x;
        local.arguments.apply(local.call);
      } while (++x < end && ks_claim == Claim::held);
    }
  }
};

/** Objects that are more than their bytes are not copied for every thread: they outlive the launch on the host. */
template <class A>
using Held = std::conditional_t<std::is_trivially_copyable<std::decay_t<A>>::value, std::decay_t<A>,
                                std::remove_reference_t<A>&>;

template <class... A>
struct Bind {
  static Arguments<> of() { return {}; }
};
template <class H, class... T>
struct Bind<H, T...> {
  static Arguments<Held<H>, Held<T>...> of(H&& h, T&&... t) { return {h, Bind<T...>::of(static_cast<T&&>(t)...)}; }
};

template <class F>
struct Configured {
  F call;
  dim3 grid, block;
  size_t shared;
  CUstream_st* stream;

  template <class... A>
  void operator()(A&&... arguments) const {
    auto bound = Bind<A...>::of(static_cast<A&&>(arguments)...);
    typedef Call<F, decltype(bound)> Bound;
    const Bound closure{call, bound};
    ks_launch(grid, block, shared, stream, &Bound::run, &closure, KS_MODULE(&Bound::run));
  }
};

template <class F>
struct Kernel {
  F call;
  Configured<F> on(dim3 grid, dim3 block, size_t shared = 0, CUstream_st* stream = nullptr) const {
    return {call, grid, block, shared, stream};
  }
};
template <class F>
Kernel<F> kernel(F call) {
  return {call};
}

template <class... P, size_t... I>
static void launch_pointer(void (*pointer)(P...), dim3 grid, dim3 block, void** arguments, size_t shared,
                           CUstream_st* stream, std::index_sequence<I...>) {
  kernel([pointer](auto&&... a) {
    pointer(a...);
  }).on(grid, block, shared, stream)(*static_cast<std::decay_t<P>*>(arguments[I])...);
}

}  // namespace ks

/** With the kernel's type known; a kernel that was cast to void* has lost it. */
template <class... P>
static inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                           size_t shared = 0, cudaStream_t stream = nullptr) {
  ks::launch_pointer(kernel, grid, block, arguments, shared, stream, std::index_sequence_for<P...>());
  return cudaPeekAtLastError();
}

#endif
