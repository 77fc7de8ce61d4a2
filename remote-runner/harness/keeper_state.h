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
  char* expected = nullptr;  // as large as a segment: results as a worker left them; no worker ever maps it
  std::vector<bool> kept;    // per buffer: is anything expected of it?
  std::vector<uint64_t> handedOut;
  uint64_t seed[2] = {0, 0};
  uint64_t drawn = 0;
};
