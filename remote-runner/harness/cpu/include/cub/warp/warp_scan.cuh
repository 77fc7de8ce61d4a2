// WarpScan: prefix sums of a warp in steps of doubling length, as cub does.
#ifndef KS_CUB_WARP_SCAN
#define KS_CUB_WARP_SCAN
#include "warp_reduce.cuh"

namespace cub {

template <class T, int Width = 32, int = 0>
class WarpScan {
 public:
  typedef NullType TempStorage;
  WarpScan(TempStorage&) {}

  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
  void InclusiveSum(T input, T& output, T& all) { InclusiveScan(input, output, cub::Sum(), all); }
  void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T{}, cub::Sum()); }
  void ExclusiveSum(T input, T& output, T& all) { ExclusiveScan(input, output, T{}, cub::Sum(), all); }

  template <class Op>
  void InclusiveScan(T input, T& output, Op op) {
    output = inclusive(input, op);
  }
  template <class Op>
  void InclusiveScan(T input, T& output, Op op, T& all) {
    output = inclusive(input, op);
    all = last(output);
  }
  /** What the first lane gets is open. */
  template <class Op>
  void ExclusiveScan(T input, T& output, Op op) {
    output = before(inclusive(input, op));
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, T initial, Op op) {
    output = after_initial(before(inclusive(input, op)), initial, op);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, Op op, T& all) {
    const T sum = inclusive(input, op);
    all = last(sum);
    output = before(sum);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, T initial, Op op, T& all) {
    const T sum = inclusive(input, op);
    all = last(sum);
    output = after_initial(before(sum), initial, op);
  }
  template <class Op>
  void Scan(T input, T& inclusive_output, T& exclusive_output, Op op) {
    inclusive_output = inclusive(input, op);
    exclusive_output = before(inclusive_output);
  }
  template <class Op>
  void Scan(T input, T& inclusive_output, T& exclusive_output, T initial, Op op) {
    const T sum = inclusive(input, op);
    inclusive_output = op(initial, sum);
    exclusive_output = after_initial(before(sum), initial, op);
  }
  T Broadcast(T input, unsigned from) { return ks::logical_warp<Width>().shfl(input, int(from)); }

 private:
  template <class Op>
  static T inclusive(T value, Op op) {
    const auto warp = ks::logical_warp<Width>();
    const int rank = int(warp.thread_rank());
    for (int apart = 1; apart < Width; apart *= 2) {
      const T other = warp.shfl_up(value, unsigned(apart));
      if (rank >= apart) value = op(other, value);
    }
    return value;
  }
  static T before(T inclusive_value) { return ks::logical_warp<Width>().shfl_up(inclusive_value, 1); }
  static T last(T inclusive_value) { return ks::logical_warp<Width>().shfl(inclusive_value, Width - 1); }
  template <class Op>
  static T after_initial(T exclusive_value, T initial, Op op) {
    return ks::logical_warp<Width>().thread_rank() == 0 ? initial : op(initial, exclusive_value);
  }
};

}  // namespace cub

#endif
