// Times by the keeper's own clock; see control.h.
#pragma once
#include <sched.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>

#include "control.h"
#include "keeper_state.h"

class KeeperClock {
 public:
  // One turn of worker `which`, armed before: `clock NANOSECONDS`, or `late`. With `slots` > 0 it ends when a piece of the
  // results of one of that many slots is here, and that slot's number follows.
  void turn(const State& state, size_t which, size_t slots, double limitMs) {
    using Clock = std::chrono::steady_clock;
    Request& request = *reinterpret_cast<Request*>(state.segmentIn + state.segmentSize);
    const Reply& reply = *reinterpret_cast<const Reply*>(state.segmentOut[which] + state.segmentSize);
    choose(state, slots);
    request.slot = chosen_.slot, request.buffer = chosen_.buffer, request.offset = chosen_.offset, request.bytes = chosen_.bytes;
    const uint64_t turn = ++turns_;
    const Clock::time_point start = Clock::now();
    auto elapsed = [&] { return std::chrono::duration<double, std::nano>(Clock::now() - start).count(); };
    auto await = [&](const std::atomic<uint64_t>& word) {
      for (unsigned spins = 1; word.load() != turn; ++spins) {
        if (spins % 64) continue;
        sched_yield();  // the worker may need this core
        if (elapsed() > limitMs * 1e6) return false;
      }
      return true;
    };
    request.go = turn;
    if (!await(reply.done)) return (void)std::puts("late");
    if (slots > 0) {
      request.wanted = turn;
      if (!await(reply.fetched)) return (void)std::puts("late");
    }
    const double nanoseconds = elapsed();
    std::memcpy(kept_, reply.piece, chosen_.bytes);
    std::printf("clock %.0f %zu\n", nanoseconds, chosen_.slot);
  }

  // Is the piece of the last turn what that worker has now stored for its slot? `piece 1`, else `piece 0`: the results were
  // not there when it said they were.
  void checkPiece(const State& state, size_t which) const {
    const char* stored = state.segmentOut[which] + state.buffers[chosen_.buffer].offset + chosen_.offset;
    std::printf("piece %d\n", chosen_.bytes == 0 || std::memcmp(kept_, stored, chosen_.bytes) == 0);
  }

 private:
  struct Piece {
    size_t slot, buffer, offset, bytes;
  };

  void choose(const State& state, size_t slots) {
    chosen_ = {};
    if (slots == 0) return;
    std::vector<size_t> results;
    for (size_t i = 0; i < state.buffers.size(); ++i)
      if (state.buffers[i].result() && state.buffers[i].end() > state.buffers[i].first()) results.push_back(i);
    if (results.empty()) return;
    auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); };
    chosen_.slot = below(slots);
    chosen_.buffer = results[below(results.size())];
    const Buffer& b = state.buffers[chosen_.buffer];
    const size_t extent = b.end() - b.first();
    chosen_.bytes = std::min(pieceBytes, extent);
    chosen_.offset = b.first() + below(extent - chosen_.bytes + 1);
  }

  uint64_t turns_ = 0;
  Piece chosen_{};
  char kept_[pieceBytes];
  std::random_device random_;
};
