// Everything the keeper owns.
#pragma once
#include <cstdint>
#include <vector>

#include "keeper_buffer.h"

struct State {
  char* segmentIn = nullptr;
  std::vector<const char*> segmentOut;  // one for each worker
  size_t segmentSize = 0;  // without the page of control.h that follows
  std::vector<Buffer> buffers;
  std::vector<std::vector<char>> expected;  // per buffer: the whole region as a worker left it; empty for non-results
  std::vector<uint64_t> inputHash;
  uint64_t seed[2] = {0, 0};
  uint64_t drawn = 0;
};
