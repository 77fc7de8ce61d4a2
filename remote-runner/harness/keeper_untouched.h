// Whether a worker wrote where nothing was its to write.
#pragma once
#include <cstdio>

#include "keeper_parallel.h"
#include "keeper_state.h"

// What lies around results and workspaces must be as it was handed out, and so must inputs: `fence INDEX SIDE BYTES` tells how far from the
// argument the nearest damage is, 0 for the byte next to it.
inline void checkUntouched(const State& state, const char* out, bool inputs) {
  for (size_t i = 0; i < state.buffers.size(); ++i) {
    const Buffer& b = state.buffers[i];
    // Workspaces come back only together with the inputs.
    if (b.result() || (inputs && b.role == Role::workspace)) {
      const char *want = state.segmentIn + b.offset, *got = out + b.offset;
      size_t k = b.first();
      while (k > 0 && want[k - 1] == got[k - 1]) --k;
      if (k > 0) std::printf("fence %zu before %zu\n", i, b.first() - k);
      k = b.end();
      while (k < b.bytes && want[k] == got[k]) ++k;
      if (k < b.bytes) std::printf("fence %zu after %zu\n", i, k - b.end());
    }
    if (b.role != Role::input) continue;
    // A worker of the same user could open the segment again and write to it: what was handed out is checked every time.
    const bool handedOut = hashRegion(state.segmentIn + b.offset, b.bytes) == state.inputHash[i];
    if (!handedOut || (inputs && !sameBytes(state.segmentIn + b.offset, out + b.offset, b.bytes))) std::printf("input %zu\n", i);
  }
}
