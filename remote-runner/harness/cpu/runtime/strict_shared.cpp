// Shared memory: a shadow for each of its bytes. Races between accesses that nothing orders, reads of what the block has not
// written, addresses outside of every shared variable.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fibre.h"
#include "strict.h"

struct ks_tls_index {
  unsigned long module, offset;
};
extern "C" void* __tls_get_addr(ks_tls_index*);

namespace ks {
namespace strict {

namespace {

enum Flag : unsigned short {
  is_atomic = 1,
  is_volatile = 2
};

/** One access; of an earlier epoch, it is ordered before everything now. */
struct Record {
  unsigned epoch, clock, pc;
  unsigned short thread, flags;
};

/** Of a byte, or of an aligned word whose bytes are only accessed together. The two last readers from different warps. */
struct Cell {
  Record write, read[2];
};

constexpr size_t static_max = size_t(1) << 20;
constexpr size_t total = static_max + max_shared;

struct Shadow {
  Cell word[total / 4 + 1];
  Cell byte[total + 4];
  /** Words whose bytes have cells of their own. */
  bool split[total / 4 + 1];
};

/** A write that meets an earlier access nothing orders it with: a race, unless it writes what is there already. */
struct Doubtful {
  Op op;
  Record earlier;
  bool earlier_writes;
  size_t where;
  unsigned thread;
  unsigned char old[16];
};

size_t module = 0;
std::vector<Object> objects;  // sorted; `start` is an offset in the segment
std::vector<const Object*> object_of_byte;
uintptr_t library_low = 0;
unsigned char poison_byte = 0x7f;

/** The shared variable that holds the byte, or null between two. */
const Object* static_object(size_t offset) {
  return offset < object_of_byte.size() ? object_of_byte[offset] : nullptr;
}

thread_local Shadow* shadow = nullptr;
thread_local Doubtful doubtful;
thread_local bool has_doubtful = false;

void name_of(size_t where, char* text, size_t size) {
  if (where >= static_max) {
    snprintf(text, size, "dynamic shared memory, byte %zu", where - static_max);
    return;
  }
  const Object* object = static_object(where);
  if (object) snprintf(text, size, "%s, byte %zu", object->name, where - object->start);
  else snprintf(text, size, "shared memory");
}

void report_race(const Op& op, unsigned thread, size_t where, const Record& earlier, bool earlier_writes) {
  char name[160];
  name_of(where, name, sizeof name);
  // Warp-synchronous code of old: right where lanes run in step, which they need not.
  const bool legacy = op.is_volatile && earlier.flags & is_volatile && thread / 32 == earlier.thread / 32;
  const char* then = earlier.flags & is_atomic ? "changes" : earlier_writes ? "writes" : "reads";
  report({legacy ? "warp_synchronous" : "race", op.pc, library_low + earlier.pc},
         "%s: %s %s at %%2 what %s %s at %%1 (block (%u,%u,%u)), and no barrier%s lies between", name,
         thread_name(earlier.thread), then, thread_name(thread), op.verb(), blockIdx.x, blockIdx.y, blockIdx.z,
         thread / 32 == earlier.thread / 32 ? " nor __syncwarp" : "");
}

void settle() {
  if (!has_doubtful) return;
  has_doubtful = false;
  const Doubtful& d = doubtful;
  if (memcmp(reinterpret_cast<const void*>(d.op.address), d.old, std::min(d.op.bytes, sizeof d.old)) == 0) return;
  report_race(d.op, d.thread, d.where, d.earlier, d.earlier_writes);
}

/** True if the pair is a race or warp-synchronous code: unordered, and not both of a kind that talks to others. */
bool conflicts(const Op& op, unsigned thread, const Record& earlier) {
  if (ordered(thread, earlier.thread, earlier.clock, earlier.epoch)) return false;
  if (op.is_volatile && earlier.flags & is_volatile) return thread / 32 == earlier.thread / 32;
  const bool talks = op.is_volatile || op.is_atomic();
  return !(talks && earlier.flags != 0);
}

void remember(const Op& op, unsigned thread, const Record& earlier, bool earlier_writes, size_t where) {
  if (op.is_atomic()) return report_race(op, thread, where, earlier, earlier_writes);
  if (has_doubtful) return;
  doubtful = {op, earlier, earlier_writes, where, thread, {}};
  memcpy(doubtful.old, reinterpret_cast<const void*>(op.address), std::min(op.bytes, sizeof doubtful.old));
  has_doubtful = true;
}

void touch(Cell& cell, const Op& op, const Record& now, size_t where) {
  const unsigned thread = now.thread;
  const Record& written = cell.write;
  if (op.reads() && written.epoch < first_epoch_of_block()) {
    char name[160];
    name_of(where, name, sizeof name);
    report({"uninitialized_shared", op.pc}, "%%1: %s of block (%u,%u,%u) reads %s, which the block has not written",
           thread_name(thread), blockIdx.x, blockIdx.y, blockIdx.z, name);
  } else if (conflicts(op, thread, written)) {
    if (op.writes()) remember(op, thread, written, true, where);
    else report_race(op, thread, where, written, true);
  }
  if (!op.writes()) {
    Record* const read = cell.read;
    // Room for a reader of another warp is worth more than for one of the same.
    unsigned slot = 0;
    if (read[0].thread != thread && read[0].epoch == now.epoch) {
      slot = read[1].thread == thread || read[1].epoch != now.epoch || read[0].thread / 32 != thread / 32 ? 1 : 0;
    }
    read[slot] = now;
    return;
  }
  for (const Record& reader : cell.read) {
    if (conflicts(op, thread, reader)) remember(op, thread, reader, false, where);
  }
  cell.write = now;
  cell.read[0].epoch = cell.read[1].epoch = 0;
}

/** @param where offset in the shadow */
void check(const Op& op, size_t where) {
  settle();
  const unsigned thread = linear(threadIdx);
  Record now{epoch(), clock_of(thread), unsigned(op.pc - library_low), (unsigned short)thread,
             (unsigned short)((op.is_atomic() ? is_atomic : 0) | (op.is_volatile ? is_volatile : 0))};
  for (size_t at = where, end = where + op.bytes; at < end;) {
    const size_t word = at / 4;
    if (at % 4 == 0 && end - at >= 4 && !shadow->split[word]) {
      touch(shadow->word[word], op, now, at);
      at += 4;
      continue;
    }
    if (!shadow->split[word]) {
      for (size_t i = 0; i < 4; ++i) shadow->byte[word * 4 + i] = shadow->word[word];
      shadow->split[word] = true;
    }
    touch(shadow->byte[at], op, now, at);
    ++at;
  }
  // After the check: what makes this access known to others does not excuse it.
  if (op.is_volatile) synchronise();
}

[[noreturn]] void out_of_bounds(const Op& op, const char* what, size_t distance, size_t bytes) {
  char place[60];
  if (distance == 0) snprintf(place, sizeof place, "right after the end of");
  else snprintf(place, sizeof place, "%zu bytes after the end of", distance);
  report({"out_of_bounds", op.pc}, "%%1: %s of block (%u,%u,%u) %s %zu bytes of shared memory %s %s (%zu bytes)",
         thread_name(linear(threadIdx)), blockIdx.x, blockIdx.y, blockIdx.z,
         op.verb(), op.bytes, place, what, bytes);
  stop(700);
}

}  // namespace

void open_segment(size_t id, uintptr_t library_base) {
  module = id;
  library_low = library_base;
}

void find_segment() {
  static thread_local uintptr_t base = 0;
  if (!base && module && !object_of_byte.empty()) {
    ks_tls_index index{module, 0};
    base = uintptr_t(__tls_get_addr(&index));
  }
  running.shared_base = base;
  running.shared_bytes = base ? object_of_byte.size() : 0;
}

void shared_begin_block() {
  if (!shadow) {
    // Touched on use only; zero is an access of no epoch.
    void* memory = mmap(nullptr, sizeof(Shadow), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) abort();
    shadow = static_cast<Shadow*>(memory);
    if (const char* wanted = getenv("KS_STRICT_POISON")) poison_byte = (unsigned char)strtoul(wanted, nullptr, 16);
  }
  has_doubtful = false;
  for (const Object& object : objects) {
    if (object.is_shared) memset(reinterpret_cast<void*>(running.shared_base + object.start), poison_byte, object.bytes);
  }
  memset(ks_dynamic_shared, poison_byte, running.dynamic_bytes);
}

void shared_end_block() { settle(); }

void check_static_shared(const Op& op) {
  const size_t offset = size_t(op.address - running.shared_base);
  const Object* object = static_object(offset);
  if (!object) {
    const Object* last = nullptr;
    for (const Object& o : objects) {
      if (o.start <= offset) last = &o;
    }
    if (last) out_of_bounds(op, last->name, offset - last->start - last->bytes, last->bytes);
    return;
  }
  if (!object->is_shared) return;
  if (offset + op.bytes > object->start + object->bytes) out_of_bounds(op, object->name, 0, object->bytes);
  check(op, offset);
}

void check_dynamic_shared(const Op& op) {
  const size_t offset = size_t(op.address - uintptr_t(ks_dynamic_shared));
  if (offset + op.bytes > running.dynamic_bytes) {
    out_of_bounds(op, "the block's dynamic shared memory",
                  offset > running.dynamic_bytes ? offset - running.dynamic_bytes : 0, running.dynamic_bytes);
  }
  check(op, static_max + offset);
}

}  // namespace strict
}  // namespace ks

void ks_strict_object(char kind, size_t offset, size_t bytes, const char* name) {
  using namespace ks::strict;
  if (kind == 'g') return add_global(offset, bytes, name);
  if (offset + bytes > static_max) return;
  objects.reserve(4096);  // pointers to them are kept
  if (objects.size() == objects.capacity()) return;
  objects.push_back({offset, bytes, strdup(name), kind == 's'});
  if (object_of_byte.size() < offset + bytes + 256) object_of_byte.resize(offset + bytes + 256);
  std::fill(object_of_byte.begin() + long(offset), object_of_byte.begin() + long(offset + bytes), &objects.back());
}
