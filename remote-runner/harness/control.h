// What keeper and worker tell each other beside the pipes: the last page of each segment. With it the keeper takes times by
// its own clock, to a microsecond, in a process that runs no candidate code.
//
// A turn: the worker is armed; the keeper starts its clock and writes a new number to `go`; the worker makes its calls and
// writes the number to `done`. Whoever writes `done` too early gains nothing: the keeper then asks for a piece of the results
// that it draws only now, and stops its clock when the piece is there.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

constexpr size_t controlBytes = 4096;  // at the end of every segment, also `CONTROL` in segments.ts
constexpr size_t pieceBytes = 1024;

// In the segment that the keeper writes and workers can only read.
struct Request {
  std::atomic<uint64_t> go;
  std::atomic<uint64_t> wanted;  // the turn whose piece is asked for; what follows was written before
  uint64_t slot, buffer, offset, bytes;  // offset into the buffer's fenced region
};

// In the segment that a worker writes.
struct Reply {
  std::atomic<uint64_t> done;
  std::atomic<uint64_t> fetched;
  char piece[pieceBytes];
};

static_assert(sizeof(Request) <= controlBytes && sizeof(Reply) <= controlBytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free, "shared between processes");
