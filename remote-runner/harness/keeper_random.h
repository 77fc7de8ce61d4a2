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

  // Standard normal by the ziggurat method (Marsaglia, Tsang 2000) with 256 layers: one draw and one comparison nearly
  // always, so that drawing inputs costs little beside moving them.
  double normal() {
    const Ziggurat& z = ziggurat();
    for (;;) {
      const uint64_t bits = next();
      const int layer = bits & 255;
      const double x = (double)((int64_t)bits >> 8) * 0x1p-55 * z.x[layer];  // uniform in [-x, x)
      if (std::fabs(x) < z.x[layer + 1]) return x;
      if (layer == 0) return bits >> 63 ? -tail(z.x[1]) : tail(z.x[1]);
      const double y = z.y[layer] + (z.y[layer + 1] - z.y[layer]) * unit();
      if (y < std::exp(-0.5 * x * x)) return x;
    }
  }

 private:
  static uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }
  // In (0, 1].
  double unit() { return (double)((next() >> 11) + 1) * 0x1p-53; }

  // From beyond r, by the exponential trick of the same paper.
  double tail(double r) {
    for (;;) {
      const double a = -std::log(unit()) / r, b = -std::log(unit());
      if (2 * b > a * a) return r + a;
    }
  }

  // Layer i spans heights y[i] to y[i + 1] under exp(-x*x/2), out to x[i]; all 256 have the same area, the lowest with the
  // tail beyond r = x[1].
  struct Ziggurat {
    double x[257], y[257];
    Ziggurat() {
      const double r = 3.6541528853610088, area = 0.00492867323399;
      x[0] = area / std::exp(-0.5 * r * r);
      x[1] = r;
      y[0] = 0;
      y[1] = std::exp(-0.5 * r * r);
      for (int i = 2; i < 256; ++i) {
        y[i] = y[i - 1] + area / x[i - 1];
        x[i] = std::sqrt(-2 * std::log(y[i]));
      }
      x[256] = 0;
      y[256] = 1;
    }
  };
  static const Ziggurat& ziggurat() {
    static const Ziggurat z;
    return z;
  }

  uint64_t state_[4];
};
