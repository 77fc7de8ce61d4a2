// Times the same cases of two libraries in turn, and prints the milliseconds of every call.
//
// driver ROUNDS FIRST SECOND CASE…  →  `CASE FIRST_MS SECOND_MS` a line; or `CASE differs` where they disagree.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cases.h"

using Case = void (*)(const Buffers&);

static double milliseconds(Case call, const Buffers& b) {
  const auto start = std::chrono::steady_clock::now();
  call(b);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

static float* buffer(unsigned seed) {
  float* p = static_cast<float*>(aligned_alloc(4096, elements * sizeof(float)));
  for (int i = 0; i < elements; ++i) {
    seed = seed * 1664525u + 1013904223u;
    p[i] = float(seed >> 8) / float(1 << 23) - 1.0f;
  }
  return p;
}

int main(int count, char** words) {
  if (count < 4) return 3;
  void* libraries[2];
  for (int i = 0; i < 2; ++i) {
    libraries[i] = dlopen(words[2 + i], RTLD_NOW | RTLD_LOCAL);
    if (!libraries[i]) return fprintf(stderr, "%s\n", dlerror()), 3;
  }
  const Buffers b{buffer(1), buffer(2), buffer(3)};
  std::vector<float> start(b.y, b.y + elements), results[2];
  for (int word = 4; word < count; ++word) {
    const std::string name = words[word];
    Case calls[2];
    for (int i = 0; i < 2; ++i) {
      calls[i] = reinterpret_cast<Case>(dlsym(libraries[i], (name + "_case").c_str()));
      if (!calls[i]) return fprintf(stderr, "%s\n", dlerror()), 3;
      memcpy(b.y, start.data(), elements * sizeof(float));
      calls[i](b);  // the first call also warms caches, threads and page tables
      results[i].assign(b.y, b.y + elements);
    }
    if (memcmp(results[0].data(), results[1].data(), elements * sizeof(float)) != 0) printf("%s differs\n", words[word]);
    for (int round = 0; round < atoi(words[1]); ++round) {
      double taken[2];
      for (int turn = 0; turn < 2; ++turn) {
        const int i = (turn + round) & 1;
        memcpy(b.y, start.data(), elements * sizeof(float));
        taken[i] = milliseconds(calls[i], b);
      }
      printf("%s %.6f %.6f\n", words[word], taken[0], taken[1]);
    }
  }
}
