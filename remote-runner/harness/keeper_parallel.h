// Work over large arrays on all cores.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "keeper_random.h"

constexpr size_t chunkSize = 1 << 16;  // elements that one thread takes at a time

// Splits [0, n) into chunks of fixed size, so that results do not depend on the number of threads.
inline void parallel(size_t n, const std::function<void(size_t chunk, size_t begin, size_t end)>& body,
                     size_t chunkSize = ::chunkSize) {
  const size_t chunks = (n + chunkSize - 1) / chunkSize;
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t c; (c = next++) < chunks;) body(c, c * chunkSize, std::min(n, (c + 1) * chunkSize));
  };
  const size_t threads = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), chunks);
  std::vector<std::thread> pool;
  for (size_t i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& t : pool) t.join();
}

inline uint64_t hashRegion(const char* data, size_t bytes) {
  // Order-independent sum of mixed words: any single change shows, and chunks can be hashed in parallel.
  std::atomic<uint64_t> total{0};
  parallel(bytes / 8, [&](size_t, size_t begin, size_t end) {
    uint64_t sum = 0, word;
    for (size_t i = begin; i < end; ++i) std::memcpy(&word, data + i * 8, 8), sum += mix(word ^ i * 0x9e3779b97f4a7c15ull);
    total += sum;
  });
  return total;
}

inline bool sameBytes(const char* a, const char* b, size_t bytes) {
  std::atomic<bool> same{true};
  parallel(bytes, [&](size_t, size_t begin, size_t end) {
    if (std::memcmp(a + begin, b + begin, end - begin)) same = false;
  });
  return same;
}
