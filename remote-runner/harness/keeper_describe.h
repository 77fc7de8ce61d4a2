// What the expected values are like: would agreeing with them say anything?
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <vector>

#include "keeper_set.h"
#include "keeper_state.h"

constexpr size_t sampled = 1 << 16;  // elements behind a median

template <typename Value>
size_t unsortedRows(const Buffer& b, const char* base) {
  std::atomic<size_t> rows{0};
  const size_t length = std::max<size_t>(1, b.rowLength());
  parallel(b.elements() / length, [&](size_t, size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) rows += directionOf<Value>(b, base, row) == 0;
  }, std::max<size_t>(1, chunkSize / length));
  return rows;
}

// `expected INDEX PASSES ALLZERO NANS INFINITIES MAXABS MEDIANABS UNSORTED`: would zeros pass, are all values
// zeros, how many are NaN and how many infinite, how large are the finite ones, how many rows of a `sorted` output are in no order.
inline void describeExpected(const State& state) {
  for (size_t i = 0; i < state.buffers.size(); ++i) {
    const Buffer& b = state.buffers[i];
    if (!state.kept[i]) continue;
    const char* want = state.expected + b.offset + b.fence;
    const bool passes = b.comparer != Comparer::check && compareBuffer(b, want, nullptr).mismatches == 0;
    const size_t unsorted = b.comparer != Comparer::sorted ? 0 : isReal(b.dtype) ? unsortedRows<double>(b, want) : unsortedRows<Integer>(b, want);
    const size_t n = b.elements(), step = std::max<size_t>(1, n / sampled);
    const bool contiguous = b.contiguous();
    auto magnitude = [&](size_t e) {
      const size_t at = contiguous ? b.skip + e : b.position(e);
      return std::fabs(isReal(b.dtype) ? loadReal(b.dtype, want, at) : (double)loadInteger(b.dtype, want, at));
    };
    std::vector<double> largest((n + chunkSize - 1) / chunkSize, 0), sample;
    std::atomic<size_t> nans{0}, infinities{0};
    parallel(n, [&](size_t chunk, size_t begin, size_t end) {
      for (size_t e = begin; e < end; ++e) {
        const double v = magnitude(e);
        if (std::isfinite(v)) largest[chunk] = std::max(largest[chunk], v);
        else ++(std::isnan(v) ? nans : infinities);
      }
    });
    for (size_t e = 0; e < n; e += step)
      if (const double v = magnitude(e); std::isfinite(v)) sample.push_back(v);
    const double most = largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
    double median = 0;
    if (!sample.empty()) {
      std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
      median = sample[sample.size() / 2];
    }
    std::printf("expected %zu %d %d %zu %zu %.17g %.17g %zu\n", i, passes, most == 0, nans.load(), infinities.load(), most, median, unsorted);
  }
}
