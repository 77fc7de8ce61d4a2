// BlockScan: prefix sums over the items of a block, from the first to the last.
#ifndef KS_CUB_BLOCK_SCAN
#define KS_CUB_BLOCK_SCAN
#include "../../ks/cub_common.h"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
  static constexpr int threads = X * Y * Z;

 public:
  /** Sums of the threads, then what comes before each; behind them the sum of all and the prefix. */
  typedef ks::Room<T, threads + 2> TempStorage;
  KS_CUB_PRIMITIVE(BlockScan)

  // ── sums ──
  void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T{}, cub::Sum()); }
  void ExclusiveSum(T input, T& output, T& all) { ExclusiveScan(input, output, T{}, cub::Sum(), all); }
  template <class Prefix>
  void ExclusiveSum(T input, T& output, Prefix& prefix) {
    ExclusiveScan(input, output, cub::Sum(), prefix);
  }
  template <int N>
  void ExclusiveSum(T (&input)[N], T (&output)[N]) {
    ExclusiveScan(input, output, T{}, cub::Sum());
  }
  template <int N>
  void ExclusiveSum(T (&input)[N], T (&output)[N], T& all) {
    ExclusiveScan(input, output, T{}, cub::Sum(), all);
  }
  template <int N, class Prefix>
  void ExclusiveSum(T (&input)[N], T (&output)[N], Prefix& prefix) {
    ExclusiveScan(input, output, cub::Sum(), prefix);
  }
  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
  void InclusiveSum(T input, T& output, T& all) { InclusiveScan(input, output, cub::Sum(), all); }
  template <class Prefix>
  void InclusiveSum(T input, T& output, Prefix& prefix) {
    InclusiveScan(input, output, cub::Sum(), prefix);
  }
  template <int N>
  void InclusiveSum(T (&input)[N], T (&output)[N]) {
    InclusiveScan(input, output, cub::Sum());
  }
  template <int N>
  void InclusiveSum(T (&input)[N], T (&output)[N], T& all) {
    InclusiveScan(input, output, cub::Sum(), all);
  }
  template <int N, class Prefix>
  void InclusiveSum(T (&input)[N], T (&output)[N], Prefix& prefix) {
    InclusiveScan(input, output, cub::Sum(), prefix);
  }

  // ── one item a thread ──
  template <class Op>
  void ExclusiveScan(T input, T& output, T initial, Op op) {
    scan<true>(&input, &output, 1, op, &initial, nullptr);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, T initial, Op op, T& all) {
    scan<true>(&input, &output, 1, op, &initial, &all);
  }
  template <class Op, class Prefix>
  void ExclusiveScan(T input, T& output, Op op, Prefix& prefix) {
    with_prefix<true>(&input, &output, 1, op, prefix);
  }
  /** What the first thread gets is open. */
  template <class Op>
  void ExclusiveScan(T input, T& output, Op op) {
    scan<true>(&input, &output, 1, op, nullptr, nullptr);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, Op op, T& all) {
    scan<true>(&input, &output, 1, op, nullptr, &all);
  }
  template <class Op>
  void InclusiveScan(T input, T& output, Op op) {
    scan<false>(&input, &output, 1, op, nullptr, nullptr);
  }
  template <class Op>
  void InclusiveScan(T input, T& output, Op op, T& all) {
    scan<false>(&input, &output, 1, op, nullptr, &all);
  }
  template <class Op>
  void InclusiveScan(T input, T& output, T initial, Op op) {
    scan<false>(&input, &output, 1, op, &initial, nullptr);
  }
  template <class Op, class Prefix>
  void InclusiveScan(T input, T& output, Op op, Prefix& prefix) {
    with_prefix<false>(&input, &output, 1, op, prefix);
  }

  // ── several items a thread ──
  template <int N, class Op>
  void ExclusiveScan(T (&input)[N], T (&output)[N], T initial, Op op) {
    scan<true>(input, output, N, op, &initial, nullptr);
  }
  template <int N, class Op>
  void ExclusiveScan(T (&input)[N], T (&output)[N], T initial, Op op, T& all) {
    scan<true>(input, output, N, op, &initial, &all);
  }
  template <int N, class Op, class Prefix>
  void ExclusiveScan(T (&input)[N], T (&output)[N], Op op, Prefix& prefix) {
    with_prefix<true>(input, output, N, op, prefix);
  }
  template <int N, class Op>
  void ExclusiveScan(T (&input)[N], T (&output)[N], Op op) {
    scan<true>(input, output, N, op, nullptr, nullptr);
  }
  template <int N, class Op>
  void ExclusiveScan(T (&input)[N], T (&output)[N], Op op, T& all) {
    scan<true>(input, output, N, op, nullptr, &all);
  }
  template <int N, class Op>
  void InclusiveScan(T (&input)[N], T (&output)[N], Op op) {
    scan<false>(input, output, N, op, nullptr, nullptr);
  }
  template <int N, class Op>
  void InclusiveScan(T (&input)[N], T (&output)[N], Op op, T& all) {
    scan<false>(input, output, N, op, nullptr, &all);
  }
  template <int N, class Op, class Prefix>
  void InclusiveScan(T (&input)[N], T (&output)[N], Op op, Prefix& prefix) {
    with_prefix<false>(input, output, N, op, prefix);
  }

 private:
  /** Leaves in the storage what comes before each thread, and the sum of all without `initial`. */
  template <class Op>
  void before_threads(T own, Op op, const T* initial) {
    const int thread = ks::thread_of_block<X, Y, Z>();
    storage_[thread] = own;
    __syncthreads();
    if (thread == 0) {
      T sum = storage_[0], before = initial ? op(*initial, storage_[0]) : storage_[0];
      if (initial) storage_[0] = *initial;
      for (int i = 1; i < threads; ++i) {
        const T next = storage_[i];
        storage_[i] = before;
        sum = op(sum, next);
        before = op(before, next);
      }
      storage_[threads] = sum;
    }
    __syncthreads();
  }
  template <class Op>
  static T own_sum(const T* input, int n, Op op) {
    T sum = input[0];
    for (int i = 1; i < n; ++i) sum = op(sum, input[i]);
    return sum;
  }
  /** `has_before` is false for the first item of all when nothing comes before it. */
  template <bool Exclusive, class Op>
  static void spread(const T* input, T* output, int n, Op op, T before, bool has_before) {
    for (int i = 0; i < n; ++i) {
      const T item = input[i], after = has_before ? op(before, item) : item;
      output[i] = Exclusive ? (has_before ? before : item) : after;
      before = after;
      has_before = true;
    }
  }
  template <bool Exclusive, class Op>
  void scan(const T* input, T* output, int n, Op op, const T* initial, T* all) {
    before_threads(own_sum(input, n, op), op, initial);
    const int thread = ks::thread_of_block<X, Y, Z>();
    if (all) *all = storage_[threads];
    spread<Exclusive>(input, output, n, op, storage_[thread], thread > 0 || initial);
  }
  /** The prefix is what the callback gives the first thread of the block; all of its warp ask. */
  template <bool Exclusive, class Op, class Prefix>
  void with_prefix(const T* input, T* output, int n, Op op, Prefix& prefix) {
    before_threads(own_sum(input, n, op), op, nullptr);
    const int thread = ks::thread_of_block<X, Y, Z>();
    const T inside = storage_[thread];
    if (thread < 32) {
      const T value = prefix(storage_[threads]);
      if (thread == 0) storage_[threads + 1] = value;
    }
    __syncthreads();
    const T outside = storage_[threads + 1];
    spread<Exclusive>(input, output, n, op, thread > 0 ? op(outside, inside) : outside, true);
  }
};

}  // namespace cub

#endif
