// What workers are handed: seeded inputs, poison in outputs and workspaces, fences around everything.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "keeper_parallel.h"
#include "keeper_random.h"
#include "keeper_state.h"

inline Random randomFor(const State& state, size_t buffer, size_t chunk, uint64_t purpose) {
  return Random(state.seed[0] ^ mix(buffer * 4 + purpose), state.seed[1] ^ mix(state.drawn << 32 ^ chunk));
}

// Random bits over [from, to) of a buffer's region, in words of 8 bytes.
inline void poisonWords(State& state, size_t index, size_t from, size_t to, uint64_t purpose) {
  char* region = state.segmentIn + state.buffers[index].offset;
  parallel(to - from, [&](size_t chunk, size_t begin, size_t end) {
    Random random = randomFor(state, index, chunk, purpose);
    for (size_t i = from + begin; i < from + end; ++i) {
      const uint64_t word = random.next();
      std::memcpy(region + i * 8, &word, 8);
    }
  });
}

// All of a region, or only what lies around the argument where a fill covers the rest. Around floating-point inputs lies
// NaN: a read out of bounds that takes part in the result shows.
inline void poison(State& state, size_t index, bool filled) {
  const Buffer& b = state.buffers[index];
  if (!filled) return poisonWords(state, index, 0, b.bytes / 8, 0);
  if (!b.contiguous()) poisonWords(state, index, b.fence / 8, (b.bytes - b.fence) / 8, 0);
  if (isReal(b.dtype)) {
    char* region = state.segmentIn + b.offset;
    std::memset(region, 0xff, b.first());
    std::memset(region + b.end(), 0xff, b.bytes - b.end());
  } else {
    poisonWords(state, index, 0, (b.first() + 7) / 8, 0);
    poisonWords(state, index, b.end() / 8, b.bytes / 8, 3);
  }
}

inline void fill(State& state, size_t index) {
  Buffer& b = state.buffers[index];
  char* base = state.segmentIn + b.offset + b.fence;
  const size_t n = b.elements(), size = sizeOf(b.dtype);
  if (b.fill == "permutation" || b.fill == "offsets") {
    // Sequential by nature: a shuffle, and a sorted sample.
    Random random = randomFor(state, index, 0, 1);
    std::vector<long long> all(n);
    for (size_t i = 0; i < n; ++i) all[i] = b.fill == "offsets" ? (long long)random.below((uint64_t)b.p1 + 1) : (long long)i;
    if (b.fill == "offsets") {
      std::sort(all.begin(), all.end());
      if (n) all.front() = 0, all.back() = b.p1;
    } else {
      for (size_t i = n; i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
    }
    for (size_t i = 0; i < n; ++i) storeInteger(b.dtype, base, b.position(i), all[i]);
    return;
  }
  const bool contiguous = b.contiguous();
  parallel(n, [&](size_t chunk, size_t begin, size_t end) {
    Random random = randomFor(state, index, chunk, 1);
    for (size_t i = begin; i < end; ++i) {
      const size_t at = contiguous ? b.skip + i : b.position(i);
      if (b.fill == "file") std::memcpy(base + at * size, b.contents.data() + i * size, size);
      else if (b.fill == "normal") storeReal(b.dtype, base, at, random.normal());
      else if (b.fill == "uniform") storeReal(b.dtype, base, at, random.uniform());
      else if (b.fill == "integers") storeInteger(b.dtype, base, at, b.p1 + (long long)random.below((uint64_t)(b.p2 - b.p1) + 1));
      else if (b.fill == "range") storeInteger(b.dtype, base, at, (long long)i);
      else storeInteger(b.dtype, base, at, b.fill == "ones");
    }
  });
}

// The bytes that fill an argument; false where they cannot be read or are too few.
inline bool readContents(Buffer& b, const char* path) {
  const size_t bytes = b.elements() * sizeOf(b.dtype);
  b.contents.resize(bytes);
  FILE* file = std::fopen(path, "rb");
  if (!file) return false;
  const bool complete = std::fread(b.contents.data(), 1, bytes, file) == bytes;
  std::fclose(file);
  return complete;
}

// What a worker is handed is known by its hash: one of the runner's own user could open the segment again and write to it.
inline void keepHash(State& state, size_t index) {
  const Buffer& b = state.buffers[index];
  state.handedOut[index] = hashRegion(state.segmentIn + b.offset, b.bytes);
}

inline void draw(State& state, uint64_t number) {
  state.drawn = number;
  for (size_t i = 0; i < state.buffers.size(); ++i) {
    const Buffer& b = state.buffers[i];
    const bool filled = b.role == Role::input || b.role == Role::inout;
    poison(state, i, filled);
    if (filled) fill(state, i);
    keepHash(state, i);
  }
}

// Other values in one input, everything else as it was drawn; each number gives other values.
inline void redraw(State& state, size_t index, uint64_t number) {
  const Buffer& b = state.buffers[index];
  const uint64_t before = state.drawn;
  state.drawn = ~number;  // of which `draw` never hears
  fill(state, index);
  state.drawn = before;
  keepHash(state, index);
}

// Ones and twos at random in inputs that hold nothing but ones, where the type has digits enough for sums and products of them
// to stay exact.
inline void varyOnes(State& state, uint64_t number) {
  for (size_t index = 0; index < state.buffers.size(); ++index) {
    const Buffer& b = state.buffers[index];
    if (b.role != Role::input || b.fill != "ones" || (b.dtype != Dtype::f32 && b.dtype != Dtype::f64)) continue;
    char* base = state.segmentIn + b.offset + b.fence;
    parallel(b.elements(), [&](size_t chunk, size_t begin, size_t end) {
      Random random = randomFor(state, index, chunk, 2 + 4 * state.buffers.size() * ~number);
      for (size_t i = begin; i < end; ++i) storeInteger(b.dtype, base, b.position(i), 1 + (long long)random.below(2));
    });
    keepHash(state, index);
  }
}

// Other poison in everything that is not filled, the inputs as they were drawn.
inline void repoison(State& state, uint64_t number) {
  const uint64_t before = state.drawn;
  state.drawn = ~number;
  for (size_t i = 0; i < state.buffers.size(); ++i) {
    const Role role = state.buffers[i].role;
    if (role != Role::output && role != Role::workspace) continue;
    poison(state, i, false);
    keepHash(state, i);
  }
  state.drawn = before;
}

// Moves every floating-point input element up or down by one unit in the last place, or leaves it.
inline void nudge(State& state, uint64_t number) {
  for (size_t index = 0; index < state.buffers.size(); ++index) {
    Buffer& b = state.buffers[index];
    if ((b.role != Role::input && b.role != Role::inout) || !isReal(b.dtype)) continue;
    char* base = state.segmentIn + b.offset + b.fence;
    parallel(b.elements(), [&](size_t chunk, size_t begin, size_t end) {
      Random random = randomFor(state, index, chunk, 2 + 4 * state.buffers.size() * number);
      for (size_t i = begin; i < end; ++i) nudgeElement(b.dtype, base, b.position(i), (int)random.below(3) - 1);
    });
    keepHash(state, index);
  }
}
