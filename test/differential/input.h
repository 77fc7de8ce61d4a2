// The input of the differential kernels: a fixed pseudo-random sequence of words, and numbers made of them that no
// contraction or rounding can change.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

/** Words of input every kernel gets; the same for all, see input.ts. */
constexpr int input_words = 65536;

/** In [0, 1), a multiple of 2^-24. */
__host__ __device__ inline float unit(unsigned w) { return float(w >> 8) * 5.9604644775390625e-8f; }
/** In [-1, 1), a multiple of 2^-23. */
__host__ __device__ inline float symmetric(unsigned w) { return float(int(w) >> 8) * 1.1920928955078125e-7f; }
/** In [-1, 1) with 53 bits. */
__host__ __device__ inline double symmetric64(unsigned high, unsigned low) {
  return double((long long)((unsigned long long)high << 32 | low) >> 10) * 1.1102230246251565e-16;
}
/** Any bits: all magnitudes, subnormals, infinities and NaNs. */
__host__ __device__ inline float any_float(unsigned w) {
  float f;
  memcpy(&f, &w, 4);
  return f;
}
__host__ __device__ inline unsigned float_bits(float f) {
  unsigned w;
  memcpy(&w, &f, 4);
  // What a NaN carries differs from machine to machine, even between two operations of one.
  return f != f ? 0x7fffffffu : w;
}
__host__ __device__ inline unsigned long long double_bits(double f) {
  unsigned long long w;
  memcpy(&w, &f, 8);
  return f != f ? 0x7fffffffffffffffull : w;
}
