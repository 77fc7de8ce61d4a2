// The comparers: does an output agree with what is expected?
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "keeper_buffer.h"
#include "keeper_parallel.h"

constexpr size_t firstMismatches = 8;

struct Tally {
  size_t mismatches = 0;
  size_t incomparable = 0;  // mismatches with a NaN or an infinity in them, which no distance measures
  double maxAbs = 0, maxRel = 0;
  std::vector<size_t> first;
};

// Without `gotBase` the expected values are compared with zeros.
inline Tally compareBuffer(const Buffer& b, const char* expectedBase, const char* gotBase) {
  const size_t n = b.elements();
  const bool contiguous = b.contiguous();
  std::vector<Tally> tallies((n + chunkSize - 1) / chunkSize);
  parallel(n, [&](size_t chunk, size_t begin, size_t end) {
    Tally& tally = tallies[chunk];
    // The same bits are the same value, NaN included; a deterministic kernel that is only arranged differently ends here.
    const size_t size = sizeOf(b.dtype), start = (b.skip + begin) * size;
    if (contiguous && gotBase && !std::memcmp(expectedBase + start, gotBase + start, (end - begin) * size)) return;
    for (size_t i = begin; i < end; ++i) {
      const size_t at = contiguous ? b.skip + i : b.position(i);
      bool same;
      if (!isReal(b.dtype)) {
        const Integer want = loadInteger(b.dtype, expectedBase, at), got = gotBase ? loadInteger(b.dtype, gotBase, at) : 0;
        same = want == got;
        if (!same) {
          const double difference = want > got ? (double)(want - got) : (double)(got - want);
          tally.maxAbs = std::max(tally.maxAbs, difference);
          if (want != 0) tally.maxRel = std::max(tally.maxRel, difference / std::fabs((double)want));
          same = !b.exact && difference <= b.atol + b.rtol * std::fabs((double)want);
        }
      } else {
        const double want = loadReal(b.dtype, expectedBase, at), got = gotBase ? loadReal(b.dtype, gotBase, at) : 0;
        if (std::isfinite(want) && std::isfinite(got)) {
          const double difference = std::fabs(got - want);
          tally.maxAbs = std::max(tally.maxAbs, difference);
          if (want != 0) tally.maxRel = std::max(tally.maxRel, difference / std::fabs(want));
          same = b.exact ? want == got : difference <= b.atol + b.rtol * std::fabs(want);
        } else {
          // NaN only where the reference has one; infinities only with their sign.
          same = std::isnan(want) ? std::isnan(got) : want == got;
          tally.incomparable += !same;
        }
      }
      if (!same) {
        ++tally.mismatches;
        if (tally.first.size() < firstMismatches) tally.first.push_back(i);
      }
    }
  });
  Tally all;
  for (const Tally& t : tallies) {
    all.mismatches += t.mismatches;
    all.incomparable += t.incomparable;
    all.maxAbs = std::max(all.maxAbs, t.maxAbs);
    all.maxRel = std::max(all.maxRel, t.maxRel);
    for (size_t i : t.first)
      if (all.first.size() < firstMismatches) all.first.push_back(i);
  }
  return all;
}
