// Whether a worker wrote where nothing was its to write.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <vector>

#include "keeper_parallel.h"
#include "keeper_state.h"

// The elements of a strided argument as runs that lie together, by rising address. Elements must not overlap.
class Runs {
 public:
  explicit Runs(const Buffer& b) : start_(b.skip) {
    for (size_t d = 0; d < b.shape.size(); ++d)
      if (b.shape[d] != 1) dims_.push_back({b.shape[d], b.strides[d]});
    std::sort(dims_.begin(), dims_.end(), [](const Dim& a, const Dim& c) { return a.stride > c.stride; });
    while (!dims_.empty() && dims_.back().stride == length_) length_ *= dims_.back().extent, dims_.pop_back();
    for (const Dim& d : dims_) count_ *= d.extent;
  }
  size_t count() const { return count_; }
  size_t length() const { return length_; }
  // First position of a run, in elements from the end of the front fence.
  size_t operator[](size_t run) const {
    size_t p = start_;
    for (size_t d = dims_.size(); d-- > 0;) p += run % dims_[d].extent * dims_[d].stride, run /= dims_[d].extent;
    return p;
  }

 private:
  struct Dim {
    size_t extent, stride;
  };
  std::vector<Dim> dims_;  // the outer ones, largest stride first
  size_t start_, length_ = 1, count_ = 1;
};

// `fence INDEX SIDE BYTES`: how far from the argument the nearest damage around it is, 0 for the byte next to it.
// @param before what lies in front of this byte of the region is looked at  @param after and what lies from this one on
inline void checkFences(size_t index, const Buffer& b, const char* want, const char* got, size_t before, size_t after) {
  size_t k = before;
  while (k > 0 && want[k - 1] == got[k - 1]) --k;
  if (k > 0) std::printf("fence %zu before %zu\n", index, b.first() - k);
  k = after;
  while (k < b.bytes && want[k] == got[k]) ++k;
  if (k < b.bytes) std::printf("fence %zu after %zu\n", index, k - b.end());
}

// `gap INDEX ELEMENTS`: something changed between the elements, first at so many of them from the argument's first.
inline void checkGaps(size_t index, const Buffer& b, const char* want, const char* got) {
  const Runs runs(b);
  const size_t size = sizeOf(b.dtype);
  std::atomic<size_t> first{SIZE_MAX};
  parallel(runs.count() - 1, [&](size_t, size_t begin, size_t end) {
    for (size_t run = begin; run < end; ++run) {
      const size_t from = b.fence + (runs[run] + runs.length()) * size, to = b.fence + runs[run + 1] * size;
      if (!std::memcmp(want + from, got + from, to - from)) continue;
      size_t byte = from;
      while (want[byte] == got[byte]) ++byte;
      size_t known = first;
      while (byte < known && !first.compare_exchange_weak(known, byte)) {
      }
      return;
    }
  });
  if (first != SIZE_MAX) std::printf("gap %zu %zu\n", index, (first - b.first()) / size);
}

// What lies around and between the elements of results and workspaces must be as it was handed out, and so must inputs.
// @param inputs whether the worker has handed back all of inputs and workspaces, not only the results and all fences
inline void checkUntouched(const State& state, const char* out, bool inputs) {
  for (size_t i = 0; i < state.buffers.size(); ++i) {
    const Buffer& b = state.buffers[i];
    const char *want = state.segmentIn + b.offset, *got = out + b.offset;
    // Nothing can be said beside what is not what was handed out any more: an easier task for the original, a fence that a write
    // out of bounds then agrees with.
    if (hashRegion(want, b.bytes) != state.handedOut[i]) {
      std::printf("handed %zu\n", i);
      continue;
    }
    if (b.role == Role::input) {
      const bool fences = !std::memcmp(want, got, b.fence) && !std::memcmp(want + b.bytes - b.fence, got + b.bytes - b.fence, b.fence);
      if (!fences || (inputs && !sameBytes(want, got, b.bytes))) std::printf("input %zu\n", i);
      continue;
    }
    if (b.result() || inputs) {
      checkFences(i, b, want, got, b.first(), b.end());
      if (b.elements() && !b.contiguous()) checkGaps(i, b, want, got);
    } else {
      checkFences(i, b, want, got, b.fence, b.bytes - b.fence);
    }
  }
}
