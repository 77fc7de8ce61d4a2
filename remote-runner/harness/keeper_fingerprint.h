// What a worker's results are bit by bit, as one number each: two runs agree in it or are not reproducible.
#pragma once
#include <atomic>
#include <cstdio>
#include <cstring>

#include "keeper_parallel.h"
#include "keeper_state.h"

// `fingerprint INDEX HEX` for each result, without what lies around and between its elements.
inline void printFingerprints(const State& state, const char* out) {
  for (size_t index = 0; index < state.buffers.size(); ++index) {
    const Buffer& b = state.buffers[index];
    if (!b.result()) continue;
    const char* base = out + b.offset + b.fence;
    const size_t size = sizeOf(b.dtype);
    const bool contiguous = b.contiguous();
    std::atomic<uint64_t> total{0};
    parallel(b.elements(), [&](size_t, size_t begin, size_t end) {
      uint64_t sum = 0;
      if (contiguous) {
        // Chunks begin at the same elements every time, so that they can be taken in words.
        const char* from = base + (b.skip + begin) * size;
        const size_t bytes = (end - begin) * size;
        for (size_t i = 0; i < bytes; i += 8) {
          uint64_t word = 0;
          std::memcpy(&word, from + i, std::min<size_t>(8, bytes - i));
          sum += mix(word ^ mix(begin * size + i));
        }
      } else {
        for (size_t i = begin; i < end; ++i) {
          uint64_t word = 0;
          std::memcpy(&word, base + b.position(i) * size, size);
          sum += mix(word ^ mix(i * size));
        }
      }
      total += sum;
    });
    std::printf("fingerprint %zu %016llx\n", index, (unsigned long long)total.load());
  }
}
