// The keeper's random numbers: xoshiro256** (Blackman, Vigna 2018) seeded per buffer and chunk through splitmix64, so that
// any chunk can be drawn on any thread.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

class Random {
 public:
  Random(uint64_t a, uint64_t b) {
    for (uint64_t& word : state_) word = a = mix(a ^ b);
  }

  uint64_t next() {
    const uint64_t result = rotate(state_[1] * 5, 7) * 9, t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // In [0, n) for n > 0; n == 0 stands for 2^64.
  uint64_t below(uint64_t n) { return n == 0 ? next() : (uint64_t)((unsigned __int128)next() * n >> 64); }

  // In [-1, 1).
  double uniform() { return (double)(int64_t)next() * 0x1p-63; }

  // Standard normal by the polar method (Marsaglia 1964), which needs no tables; two at a time.
  double normal() {
    if (spare_) {
      spare_ = false;
      return second_;
    }
    double x, y, s;
    do x = uniform(), y = uniform(), s = x * x + y * y;
    while (s >= 1 || s == 0);
    const double scale = std::sqrt(-2 * std::log(s) / s);
    second_ = y * scale;
    spare_ = true;
    return x * scale;
  }

 private:
  static uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }
  uint64_t state_[4];
  double second_ = 0;
  bool spare_ = false;
};
