// cuda::atomic and cuda::atomic_ref: the processor's atomics, through which a thread that polls lets others run.
#ifndef KS_CUDA_ATOMIC_H
#define KS_CUDA_ATOMIC_H
#include "thread_scope.h"

namespace ks {

/** What both do, on the place that `self().place()` names. */
template <class Self, class T>
class AtomicOperations {
  static_assert(::std::is_trivially_copyable_v<T>, "atomics of trivially copyable types");

 public:
  typedef T value_type;
  static constexpr bool is_always_lock_free = sizeof(T) <= 8;
  bool is_lock_free() const noexcept { return is_always_lock_free; }

  T load(::std::memory_order order = ::std::memory_order_seq_cst) const noexcept {
    poll();
    T value;
    __atomic_load(place(), &value, int(order) & 0xffff);
    return value;
  }
  void store(T value, ::std::memory_order order = ::std::memory_order_seq_cst) const noexcept {
    __atomic_store(place(), &value, int(order) & 0xffff);
  }
  T exchange(T value, ::std::memory_order = ::std::memory_order_seq_cst) const noexcept {
    poll();
    T before;
    __atomic_exchange(place(), &value, &before, __ATOMIC_SEQ_CST);
    return before;
  }
  bool compare_exchange_strong(T& expected, T value, ::std::memory_order = ::std::memory_order_seq_cst,
                               ::std::memory_order = ::std::memory_order_seq_cst) const noexcept {
    poll();
    return __atomic_compare_exchange(place(), &expected, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  bool compare_exchange_weak(T& expected, T value, ::std::memory_order = ::std::memory_order_seq_cst,
                             ::std::memory_order = ::std::memory_order_seq_cst) const noexcept {
    return compare_exchange_strong(expected, value);
  }
  T fetch_add(T v, ::std::memory_order = ::std::memory_order_seq_cst) const noexcept {
    return update([v](T old) { return T(old + v); });
  }
  T fetch_sub(T v, ::std::memory_order = ::std::memory_order_seq_cst) const noexcept {
    return update([v](T old) { return T(old - v); });
  }
  T fetch_and(T v, ::std::memory_order = ::std::memory_order_seq_cst) const noexcept {
    return update([v](T old) { return T(old & v); });
  }
  T fetch_or(T v, ::std::memory_order = ::std::memory_order_seq_cst) const noexcept {
    return update([v](T old) { return T(old | v); });
  }
  T fetch_xor(T v, ::std::memory_order = ::std::memory_order_seq_cst) const noexcept {
    return update([v](T old) { return T(old ^ v); });
  }
  T fetch_min(T v, ::std::memory_order = ::std::memory_order_seq_cst) const noexcept {
    return update([v](T old) { return v < old ? v : old; });
  }
  T fetch_max(T v, ::std::memory_order = ::std::memory_order_seq_cst) const noexcept {
    return update([v](T old) { return old < v ? v : old; });
  }
  void wait(T old, ::std::memory_order order = ::std::memory_order_seq_cst) const noexcept {
    for (T now = load(order); memcmp(&now, &old, sizeof now) == 0; now = load(order)) ks_yield();
  }
  void notify_one() const noexcept {}
  void notify_all() const noexcept {}

  operator T() const noexcept { return load(); }
  T operator++() const noexcept { return T(fetch_add(T(1)) + T(1)); }
  T operator++(int) const noexcept { return fetch_add(T(1)); }
  T operator--() const noexcept { return T(fetch_sub(T(1)) - T(1)); }
  T operator--(int) const noexcept { return fetch_sub(T(1)); }
  T operator+=(T v) const noexcept { return T(fetch_add(v) + v); }
  T operator-=(T v) const noexcept { return T(fetch_sub(v) - v); }
  T operator&=(T v) const noexcept { return T(fetch_and(v) & v); }
  T operator|=(T v) const noexcept { return T(fetch_or(v) | v); }
  T operator^=(T v) const noexcept { return T(fetch_xor(v) ^ v); }

 private:
  T* place() const { return static_cast<const Self*>(this)->ks_place(); }
  template <class F>
  T update(F next) const noexcept {
    T seen = load(::std::memory_order_relaxed);
    while (!compare_exchange_strong(seen, next(seen))) {
    }
    return seen;
  }
};

}  // namespace ks

namespace cuda {

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public ks::AtomicOperations<atomic<T, Scope>, T> {
 public:
  atomic() noexcept = default;
  constexpr atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  T operator=(T value) noexcept {
    this->store(value);
    return value;
  }
  T* ks_place() const { return const_cast<T*>(&value_); }

 private:
  alignas(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0 ? sizeof(T) : alignof(T)) T value_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public ks::AtomicOperations<atomic_ref<T, Scope>, T> {
 public:
  static constexpr size_t required_alignment = sizeof(T);
  explicit atomic_ref(T& value) noexcept : place_(&value) {}
  atomic_ref(const atomic_ref&) noexcept = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  T operator=(T value) const noexcept {
    this->store(value);
    return value;
  }
  T* ks_place() const { return place_; }

 private:
  T* place_;
};

template <thread_scope Scope = thread_scope_system>
class atomic_flag {
 public:
  bool test_and_set(memory_order = memory_order_seq_cst) noexcept { return set_.exchange(true); }
  void clear(memory_order = memory_order_seq_cst) noexcept { set_.store(false); }
  bool test(memory_order = memory_order_seq_cst) const noexcept { return set_.load(); }

 private:
  atomic<bool, Scope> set_{false};
};

namespace std {
template <class T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T>
using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
using atomic_flag = ::cuda::atomic_flag<thread_scope_system>;
}  // namespace std

}  // namespace cuda

#endif
