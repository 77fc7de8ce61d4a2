// What happens before what among the threads of a block. A barrier of the block orders everything before it with everything
// behind it: it begins a new epoch. Within an epoch each thread has a clock, and knows how far it has heard of the others:
// through barriers and other functions of its warp, and through atomic operations, fences and volatile accesses.
//
// The latter are taken to publish to everyone all that the thread has done so far: more than CUDA promises. A race that
// this hides is one between threads that talk to each other in a way that is nearly right; what it spares is a false
// report where they do so in a way that is right.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "fibre.h"
#include "strict.h"

namespace ks {
namespace strict {

namespace {

constexpr unsigned threads_max = 1024;

/** Valid in its epoch only; a new epoch needs no clearing. */
struct Row {
  unsigned epoch, clock;
  /** Clocks of the lanes of its own warp up to which this thread has heard. */
  unsigned lane[32];
};

/** What was heard of all threads of the block; only threads that synchronise beyond their warp have one. */
struct Wide {
  unsigned epoch;
  unsigned clock[threads_max];
};

struct Order {
  unsigned epoch = 0, block = 0, threads = 0;
  Row row[threads_max] = {};
  Wide published = {};
  Wide* wide = nullptr;
};

Order& order() {
  static thread_local Order* own = nullptr;
  if (!own) {
    own = new Order();
    // Touched on use only.
    void* memory = mmap(nullptr, sizeof(Wide) * threads_max, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) abort();
    own->wide = static_cast<Wide*>(memory);
  }
  return *own;
}

Row& fresh(Order& o, unsigned thread) {
  Row& row = o.row[thread];
  if (row.epoch != o.epoch) {
    memset(&row, 0, sizeof row);
    row.epoch = o.epoch;
    row.clock = 1;
  }
  return row;
}

Wide& fresh(Order& o, Wide& wide) {
  if (wide.epoch != o.epoch) {
    memset(wide.clock, 0, o.threads * sizeof wide.clock[0]);
    wide.epoch = o.epoch;
  }
  return wide;
}

#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O3")))
#endif
void join(const Order& o, unsigned* __restrict to, const unsigned* __restrict from) {
  // Clocks stay far below 2^31, and the signed maximum is the one that every vector unit has.
  for (unsigned i = 0; i < o.threads; ++i) to[i] = unsigned(std::max(int(to[i]), int(from[i])));
}

}  // namespace

void order_begin_block() {
  Order& o = order();
  o.threads = blockDim.x * blockDim.y * blockDim.z;
  o.block = ++o.epoch;
}

unsigned epoch() { return order().epoch; }
unsigned first_epoch_of_block() { return order().block; }
unsigned clock_of(unsigned thread) {
  Order& o = order();
  return fresh(o, thread).clock;
}

bool ordered(unsigned current, unsigned other, unsigned clock, unsigned at) {
  Order& o = order();
  if (at != o.epoch || current == other) return true;
  const Row& row = o.row[current];
  if (row.epoch == o.epoch && current / 32 == other / 32 && row.lane[other % 32] >= clock) return true;
  const Wide& wide = o.wide[current];
  return wide.epoch == o.epoch && wide.clock[other] >= clock;
}

void barrier() { ++order().epoch; }

void warp_barrier(unsigned warp, unsigned lanes) {
  Order& o = order();
  unsigned heard[32] = {};
  const Wide* widest = nullptr;
  for (unsigned left = lanes; left; left &= left - 1) {
    const unsigned lane = unsigned(__builtin_ctz(left)), thread = warp * 32 + lane;
    const Row& row = fresh(o, thread);
    for (unsigned i = 0; i < 32; ++i) heard[i] = std::max(heard[i], row.lane[i]);
    heard[lane] = std::max(heard[lane], row.clock);
    if (o.wide[thread].epoch == o.epoch) widest = &o.wide[thread];
  }
  for (unsigned left = lanes; left; left &= left - 1) {
    Row& row = o.row[warp * 32 + unsigned(__builtin_ctz(left))];
    memcpy(row.lane, heard, sizeof heard);
    ++row.clock;
  }
  if (!widest) return;
  static thread_local unsigned all[threads_max];
  memset(all, 0, o.threads * sizeof all[0]);
  for (unsigned left = lanes; left; left &= left - 1) {
    const Wide& wide = o.wide[warp * 32 + unsigned(__builtin_ctz(left))];
    if (wide.epoch == o.epoch) join(o, all, wide.clock);
  }
  for (unsigned left = lanes; left; left &= left - 1) {
    memcpy(fresh(o, o.wide[warp * 32 + unsigned(__builtin_ctz(left))]).clock, all, o.threads * sizeof all[0]);
  }
}

void synchronise() {
  Order& o = order();
  const unsigned thread = linear(threadIdx), first = thread & ~31u;
  Row& row = fresh(o, thread);
  Wide& own = fresh(o, o.wide[thread]);
  Wide& published = fresh(o, o.published);
  join(o, own.clock, published.clock);
  for (unsigned i = 0; i < 32 && first + i < o.threads; ++i) {
    own.clock[first + i] = std::max(own.clock[first + i], row.lane[i]);
  }
  own.clock[thread] = row.clock++;
  join(o, published.clock, own.clock);
}

}  // namespace strict
}  // namespace ks
