// BlockExchange: between arrangements of items, and to places of one's choice.
#ifndef KS_CUB_BLOCK_EXCHANGE
#define KS_CUB_BLOCK_EXCHANGE
#include "../../ks/cub_common.h"

namespace cub {

template <class T, int X, int N, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange {
  static constexpr int threads = X * Y * Z;
  static int blocked(int i) { return ks::thread_of_block<X, Y, Z>() * N + i; }
  static int striped(int i) { return i * threads + ks::thread_of_block<X, Y, Z>(); }
  static int warp_striped(int i) {
    const int thread = ks::thread_of_block<X, Y, Z>(), width = threads < 32 ? threads : 32;
    return thread / width * width * N + i * width + thread % width;
  }

 public:
  typedef ks::Room<T, threads * N> TempStorage;
  KS_CUB_PRIMITIVE(BlockExchange)

#define KS_EXCHANGE(NAME, FROM, TO)                  \
  template <class Out>                               \
  void NAME(const T (&input)[N], Out (&output)[N]) { \
    exchange(input, output, FROM, TO);               \
  }                                                  \
  void NAME(T (&items)[N]) { exchange(items, items, FROM, TO); }
  KS_EXCHANGE(StripedToBlocked, striped, blocked)
  KS_EXCHANGE(BlockedToStriped, blocked, striped)
  KS_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked)
  KS_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef KS_EXCHANGE
  template <class Out, class Offset>
  void ScatterToBlocked(const T (&input)[N], Out (&output)[N], Offset (&ranks)[N]) {
    exchange(input, output, [&](int i) { return int(ranks[i]); }, blocked);
  }
  template <class Out, class Offset>
  void ScatterToStriped(const T (&input)[N], Out (&output)[N], Offset (&ranks)[N]) {
    exchange(input, output, [&](int i) { return int(ranks[i]); }, striped);
  }
  template <class Offset>
  void ScatterToBlocked(T (&items)[N], Offset (&ranks)[N]) {
    ScatterToBlocked(items, items, ranks);
  }
  template <class Offset>
  void ScatterToStriped(T (&items)[N], Offset (&ranks)[N]) {
    ScatterToStriped(items, items, ranks);
  }

 private:
  template <class Out, class From, class To>
  void exchange(const T (&input)[N], Out (&output)[N], From from, To to) {
    for (int i = 0; i < N; ++i) storage_[from(i)] = input[i];
    __syncthreads();
    for (int i = 0; i < N; ++i) output[i] = storage_[to(i)];
  }
};

}  // namespace cub

#endif
