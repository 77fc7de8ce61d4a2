// The comparer `set`: the same elements, each as often, in any order within a row (the last dimension).
//
// Two rows agree if their elements can be paired so that both of every pair agree. The bounds of what agrees with a value grow
// with the value, so that pairing the sorted rows greedily finds as many pairs as there can be.
#pragma once
#include "keeper_compare.h"

// Sorts on all cores: pieces first, then merges of two.
template <typename Value>
void sortValues(std::vector<Value>& values) {
  const auto less = [](Value a, Value b) { return before(a, b); };
  const size_t n = values.size();
  parallel(n, [&](size_t, size_t begin, size_t end) { std::sort(values.begin() + begin, values.begin() + end, less); });
  for (size_t width = chunkSize; width < n; width *= 2)
    parallel((n + 2 * width - 1) / (2 * width), [&](size_t, size_t begin, size_t) {
      const size_t left = begin * 2 * width, middle = std::min(n, left + width), right = std::min(n, middle + width);
      std::inplace_merge(values.begin() + left, values.begin() + middle, values.begin() + right, less);
    }, 1);
}

template <typename Value>
size_t elementWith(const Buffer& b, const char* base, size_t begin, Value value) {
  size_t i = begin;
  while (i + 1 < begin + b.rowLength() && (before(valueAt<Value>(b, base, b.position(i)), value) ||
                                           before(value, valueAt<Value>(b, base, b.position(i))))) ++i;
  return i;
}

template <typename Value>
Tally compareRow(const Buffer& b, const char* expectedBase, const char* gotBase, size_t row) {
  Tally tally;
  const size_t length = b.rowLength(), begin = row * length;
  std::vector<Value> want(length), got(length);
  for (size_t i = 0; i < length; ++i) {
    want[i] = valueAt<Value>(b, expectedBase, b.position(begin + i));
    got[i] = valueAt<Value>(b, gotBase, b.position(begin + i));
  }
  sortValues(want);
  sortValues(got);
  Tally distances;
  std::vector<Value> missing, surplus;
  size_t count = 0;
  for (size_t i = 0, j = 0; i < length || j < length;) {
    Tally ignored;
    if (i < length && j < length && agree(b, want[i], got[j], ignored)) {
      ++i, ++j;
    } else if (j == length || (i < length && before(want[i], got[j]))) {
      if (missing.size() < firstMismatches) missing.push_back(want[i]);
      ++count, ++i;
    } else {
      if (surplus.size() < firstMismatches) surplus.push_back(got[j]);
      ++j;
    }
  }
  // Distances are those of the sorted rows.
  for (size_t i = 0; i < length; ++i) agree(b, want[i], got[i], distances);
  tally = distances;
  tally.incomparable = std::min(tally.incomparable, count);
  tally.mismatches = count;
  for (size_t i = 0; i < missing.size(); ++i)
    tally.first.push_back({elementWith(b, expectedBase, begin, missing[i]), gotBase ? elementWith(b, gotBase, begin, surplus[i]) : begin});
  return tally;
}

template <typename Value>
Tally compareSets(const Buffer& b, const char* expectedBase, const char* gotBase) {
  const size_t length = b.rowLength(), rows = length ? b.elements() / length : 0;
  std::vector<Tally> tallies(rows);
  auto compare = [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) tallies[row] = compareRow<Value>(b, expectedBase, gotBase, row);
  };
  // Many short rows share the cores; a long one has them all.
  if (length > chunkSize) compare(0, rows);
  else parallel(rows, [&](size_t, size_t begin, size_t end) { compare(begin, end); }, std::max<size_t>(1, chunkSize / std::max<size_t>(1, length)));
  Tally all;
  for (const Tally& t : tallies) all.add(t);
  return all;
}

// Without `gotBase` the expected values are compared with zeros.
inline Tally compareBuffer(const Buffer& b, const char* expectedBase, const char* gotBase) {
  if (b.comparer == Comparer::check) return {};
  if (b.comparer == Comparer::set)
    return isReal(b.dtype) ? compareSets<double>(b, expectedBase, gotBase) : compareSets<Integer>(b, expectedBase, gotBase);
  return isReal(b.dtype) ? compareElements<double>(b, expectedBase, gotBase)
                         : compareElements<Integer>(b, expectedBase, gotBase);
}
