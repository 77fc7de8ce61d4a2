// Do two values agree, and how far are they apart? And the comparison of an output element by element.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "keeper_buffer.h"
#include "keeper_parallel.h"

constexpr size_t firstMismatches = 8;

struct Tally {
  struct Pair {
    size_t want, got;  // elements in row-major order
  };
  size_t mismatches = 0;
  size_t incomparable = 0;  // mismatches with a NaN or an infinity in them, which no distance measures
  double maxAbs = 0, maxRel = 0;
  double worst = 0;  // largest distance over what the tolerance allows there
  std::vector<Pair> first;

  void mismatch(size_t want, size_t got) {
    ++mismatches;
    if (first.size() < firstMismatches) first.push_back({want, got});
  }
  void add(const Tally& other) {
    mismatches += other.mismatches;
    incomparable += other.incomparable;
    maxAbs = std::max(maxAbs, other.maxAbs);
    maxRel = std::max(maxRel, other.maxRel);
    worst = std::max(worst, other.worst);
    for (const Pair& p : other.first)
      if (first.size() < firstMismatches) first.push_back(p);
  }
};

// Is a distance within what is allowed around a finite value? `exact` is a tolerance of nothing.
inline bool within(const Buffer& b, double difference, double magnitude, Tally& tally) {
  const double allowed = b.atol + b.rtol * magnitude;
  tally.maxAbs = std::max(tally.maxAbs, difference);
  if (magnitude != 0) tally.maxRel = std::max(tally.maxRel, difference / magnitude);
  if (difference > 0) tally.worst = std::max(tally.worst, allowed > 0 ? difference / allowed : std::numeric_limits<double>::infinity());
  return difference <= allowed;
}

inline bool agree(const Buffer& b, Integer want, Integer got, Tally& tally) {
  return want == got || within(b, want > got ? (double)(want - got) : (double)(got - want), std::fabs((double)want), tally);
}

// NaN only where the expected value is one; infinities only with their sign.
inline bool agree(const Buffer& b, double want, double got, Tally& tally) {
  if (std::isfinite(want) && std::isfinite(got)) return within(b, std::fabs(got - want), std::fabs(want), tally);
  const bool same = std::isnan(want) ? std::isnan(got) : want == got;
  tally.incomparable += !same;
  return same;
}

// NaN stands behind everything else, as sorting puts it.
inline bool before(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }
inline bool before(Integer a, Integer b) { return a < b; }

// One of the elements of an output; without `base` they are zeros.
template <typename Value>
Value valueAt(const Buffer& b, const char* base, size_t at) {
  if (!base) return 0;
  if constexpr (std::is_same_v<Value, double>) return loadReal(b.dtype, base, at);
  else return loadInteger(b.dtype, base, at);
}

// +1: the row never falls. -1: it never rises, and falls somewhere. 0: neither.
template <typename Value>
int directionOf(const Buffer& b, const char* base, size_t row) {
  bool rises = false, falls = false;
  const size_t begin = row * b.rowLength(), end = begin + b.rowLength();
  for (size_t i = begin + 1; i < end && !(rises && falls); ++i) {
    const Value left = valueAt<Value>(b, base, b.position(i - 1)), right = valueAt<Value>(b, base, b.position(i));
    rises = rises || before(left, right);
    falls = falls || before(right, left);
  }
  return rises && falls ? 0 : falls ? -1 : 1;
}

// Element by element, and for `sorted` also whether the row stands in the order that the expected one has.
template <typename Value>
Tally compareElements(const Buffer& b, const char* expectedBase, const char* gotBase) {
  const size_t n = b.elements(), length = b.rowLength();
  const bool contiguous = b.contiguous(), sorted = b.comparer == Comparer::sorted;
  std::vector<signed char> direction(sorted ? n / std::max<size_t>(1, length) : 0);
  parallel(direction.size(), [&](size_t, size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) direction[row] = (signed char)directionOf<Value>(b, expectedBase, row);
  }, std::max<size_t>(1, chunkSize / std::max<size_t>(1, length)));
  std::vector<Tally> tallies((n + chunkSize - 1) / chunkSize);
  parallel(n, [&](size_t chunk, size_t begin, size_t end) {
    Tally& tally = tallies[chunk];
    // The same bits are the same value, NaN included; a deterministic kernel that is only arranged differently ends here.
    const size_t size = sizeOf(b.dtype), start = (b.skip + begin) * size;
    if (!sorted && contiguous && gotBase && !std::memcmp(expectedBase + start, gotBase + start, (end - begin) * size)) return;
    for (size_t i = begin; i < end; ++i) {
      const size_t at = contiguous ? b.skip + i : b.position(i);
      const Value got = valueAt<Value>(b, gotBase, at);
      bool same = agree(b, valueAt<Value>(b, expectedBase, at), got, tally);
      if (sorted && i % length > 0) {
        const Value left = valueAt<Value>(b, gotBase, contiguous ? at - 1 : b.position(i - 1));
        same = same && !(direction[i / length] < 0 ? before(left, got) : before(got, left));
      }
      if (!same) tally.mismatch(i, i);
    }
  });
  Tally all;
  for (const Tally& t : tallies) all.add(t);
  return all;
}
