// Device memory between guards, the variables of the library, and what else a kernel may read. Everything else is no memory
// of a GPU: reading it works here, and faults there.
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "block.h"
#include "strict.h"

namespace ks {
namespace strict {

namespace {

/** How far behind a variable of the library an address still counts as meant for it; as much lies between two of them. */
constexpr size_t pad = 256;
/** Guards on both sides of an allocation, bytes: as large as itself within these bounds. No memory, only addresses. */
constexpr size_t least_guard = size_t(1) << 20, most_guard = size_t(1) << 32;

struct Allocation {
  uintptr_t start;
  size_t bytes;
  /** What is mapped. */
  char* whole;
  size_t whole_bytes;
  std::string name;
  bool is_device;
};

/** Sorted by start. Replaced as a whole on every change, so that kernels look things up without a lock. */
typedef std::vector<Allocation> Allocations;
std::mutex changing;
std::atomic<const Allocations*> allocations{new Allocations()};

/** Old ones are never freed: a kernel on another thread may still look at one. A call makes few allocations. */
template <class Change>
void change(Change apply) {
  std::lock_guard<std::mutex> lock(changing);
  auto* next = new Allocations(*allocations.load());
  apply(*next);
  allocations.store(next);
}

void insert(Allocations& all, Allocation one) {
  all.insert(std::upper_bound(all.begin(), all.end(), one,
                              [](const Allocation& a, const Allocation& b) { return a.start < b.start; }),
             std::move(one));
}

struct Range {
  uintptr_t low, high;
  bool holds(uintptr_t address, size_t bytes) const { return address >= low && address + bytes <= high; }
};
std::vector<Range> images;  // of everything that is loaded: constants, tables, variables
Range library, writable, launcher, closure;
std::vector<Object> globals;

int look(dl_phdr_info* info, size_t, void* in_library) {
  bool holds = false;
  Range data{0, 0}, all{~uintptr_t(0), 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + header.p_vaddr, end = start + header.p_memsz;
    if (header.p_type != PT_LOAD) continue;
    images.push_back({start, end});
    all = {std::min(all.low, start), std::max(all.high, end)};
    if (header.p_flags & PF_W) data = {start, end};
    holds |= uintptr_t(in_library) - start < header.p_memsz;
  }
  if (!holds) return 0;
  library = all;
  library.low = info->dlpi_addr;
  writable = data;
  open_segment(info->dlpi_tls_modid, info->dlpi_addr);
  return 0;
}

const Allocation* before(const Allocations& all, uintptr_t address) {
  auto next = std::upper_bound(all.begin(), all.end(), address,
                               [](uintptr_t a, const Allocation& b) { return a < b.start; });
  return next == all.begin() ? nullptr : &*std::prev(next);
}

[[noreturn]] void out_of_bounds(const Op& op, const char* what, uintptr_t start, size_t bytes) {
  char place[120];
  if (op.address + op.bytes <= start) {
    snprintf(place, sizeof place, "%zu bytes before the start of", size_t(start - op.address));
  } else if (op.address >= start + bytes) {
    const size_t distance = size_t(op.address - start - bytes);
    if (distance == 0) snprintf(place, sizeof place, "right after the end of");
    else snprintf(place, sizeof place, "%zu bytes after the end of", distance);
  } else {
    snprintf(place, sizeof place, "across the edge of");
  }
  report({"out_of_bounds", op.pc}, "%%1: %s of block (%u,%u,%u) %s %zu bytes %s %s (%zu bytes)",
         thread_name(linear(threadIdx)), blockIdx.x, blockIdx.y, blockIdx.z, op.verb(), op.bytes, place, what, bytes);
  stop(700);
}

const Object* global_before(uintptr_t address) {
  auto next = std::upper_bound(globals.begin(), globals.end(), address,
                               [](uintptr_t a, const Object& b) { return a < b.start; });
  return next == globals.begin() ? nullptr : &*std::prev(next);
}

void check_global(const Op& op) {
  const Object* object = global_before(op.address);
  if (!object) return;
  const size_t offset = size_t(op.address - object->start);
  // Further away lies something without a name: a guard, a table of the compiler's.
  if (offset + op.bytes <= object->bytes || offset >= object->bytes + pad) return;
  out_of_bounds(op, object->name, object->start, object->bytes);
}

}  // namespace

thread_local Running running;
bool is_on = false;

void find_stack(uintptr_t* low, uintptr_t* high) {
  pthread_attr_t attributes;
  void* start = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &start, &bytes);
    pthread_attr_destroy(&attributes);
  }
  *low = uintptr_t(start);
  *high = *low + bytes;
}

void* reserve(size_t bytes, bool is_device) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  const size_t rounded = (bytes + page - 1) / page * page;
  const size_t guard = std::min(std::max(rounded, least_guard), most_guard);
  void* mapped = mmap(nullptr, guard + rounded + guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* whole = static_cast<char*>(mapped);
  char* memory = whole + guard;
  if (mprotect(memory, rounded, PROT_READ | PROT_WRITE) != 0) {
    munmap(whole, guard + rounded + guard);
    return nullptr;
  }
  change([&](Allocations& all) {
    insert(all, {uintptr_t(memory), bytes, whole, guard + rounded + guard, "an allocation", is_device});
  });
  return memory;
}

bool unreserve(void* memory) {
  Allocation gone{};
  change([&](Allocations& all) {
    for (auto at = all.begin(); at != all.end(); ++at) {
      if (at->start != uintptr_t(memory)) continue;
      gone = *at;
      all.erase(at);
      return;
    }
  });
  if (gone.whole) munmap(gone.whole, gone.whole_bytes);
  return gone.start != 0;
}

void begin_host_memory(void* memory, size_t bytes) {
  change([&](Allocations& all) {
    insert(all, {uintptr_t(memory), bytes, nullptr, 0, "registered host memory", false});
  });
}

void end_host_memory(void* memory) { unreserve(memory); }

void begin_launch(const void* bound, size_t bytes) {
  find_stack(&launcher.low, &launcher.high);
  closure = {uintptr_t(bound), uintptr_t(bound) + bytes};
}

void begin_block(size_t dynamic_bytes) {
  running.dynamic_bytes = dynamic_bytes;
  if (!running.stack_high) find_stack(&running.stack_low, &running.stack_high);
  find_segment();
  order_begin_block();
  shared_begin_block();
  running.active = true;
}

void end_block() {
  shared_end_block();
  running.active = false;
}

void check_host(const Op& op) {
  const Allocation* at = before(*allocations.load(std::memory_order_acquire), op.address);
  if (!at || !at->is_device || op.address - at->start >= at->bytes) return;
  report({"host_access", op.pc}, "%%1: the host %s %s, which is device memory: beside a GPU it dies of that", op.verb(),
         at->name.c_str());
}

void check_memory(const Op& op) {
  // The same instruction mostly stays in one allocation.
  struct Hit {
    const Allocations* in;
    uintptr_t pc, low, high;
  };
  static thread_local Hit hits[256] = {};
  const Allocations* all = allocations.load(std::memory_order_acquire);
  Hit& hit = hits[(op.pc ^ op.pc >> 8) & 255];
  if (hit.in == all && hit.pc == op.pc && op.address >= hit.low && op.address + op.bytes <= hit.high) return;
  const Allocation* nearest = before(*all, op.address);
  if (nearest && op.address - nearest->start + op.bytes <= nearest->bytes) {
    hit = {all, op.pc, nearest->start, nearest->start + nearest->bytes};
    return;
  }
  if (writable.holds(op.address, op.bytes)) return check_global(op);
  for (const Range& image : images) {
    if (image.holds(op.address, op.bytes)) return;
  }
  if (launcher.holds(op.address, op.bytes) || closure.holds(op.address, op.bytes)) return;
  // The runtime's own thread-local variables: threadIdx and its like.
  const Range own{uintptr_t(&ks_dynamic_shared) - 4096, uintptr_t(&ks_dynamic_shared) + sizeof ks_dynamic_shared + 4096};
  if (own.holds(op.address, op.bytes)) return;
  if (nearest && op.address - uintptr_t(nearest->whole) < nearest->whole_bytes) {
    out_of_bounds(op, nearest->name.c_str(), nearest->start, nearest->bytes);
  }
  // In the guard in front of an allocation.
  const Allocation* next = nearest ? nearest + 1 : all->data();
  if (next != all->data() + all->size() && op.address >= uintptr_t(next->whole)) {
    out_of_bounds(op, next->name.c_str(), next->start, next->bytes);
  }
  report({"out_of_bounds", op.pc}, "%%1: %s of block (%u,%u,%u) %s %zu bytes at %s, which is no device memory",
         thread_name(linear(threadIdx)), blockIdx.x, blockIdx.y, blockIdx.z, op.verb(), op.bytes,
         op.address < 4096 ? "a null pointer" : "an address of the host or of nothing");
  stop(700);
}

}  // namespace strict
}  // namespace ks

void ks_strict_open(const void* in_library, int descriptor) {
  using namespace ks::strict;
  dl_iterate_phdr(look, const_cast<void*>(in_library));
  open_reports(descriptor, library.low);
  is_on = true;
}

void ks_strict_name(const void* allocation, const char* name) {
  using namespace ks::strict;
  change([&](Allocations& all) {
    for (Allocation& a : all) {
      if (a.start == uintptr_t(allocation)) a.name = name;
    }
  });
}

void ks::strict::add_global(size_t offset, size_t bytes, const char* name) {
  const Object object{library.low + offset, bytes, strdup(name), false};
  globals.insert(std::upper_bound(globals.begin(), globals.end(), object,
                                  [](const Object& a, const Object& b) { return a.start < b.start; }),
                 object);
}
