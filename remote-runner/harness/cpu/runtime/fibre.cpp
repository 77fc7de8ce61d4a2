// Stacks of fibres, and queues of them.
#include "fibre.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

namespace ks {

namespace {

// CUDA allows 512 KiB of local memory per thread; pages are touched on use only.
constexpr size_t stack_bytes = 512 * 1024;
// Stacks are mapped a warp at a time.
constexpr size_t slab = 32;

size_t page() {
  static const size_t bytes = size_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

/** Stacks start at different offsets within a page: equal ones would all fall into the same few cache sets. */
size_t colour(size_t index) { return index % 13 * 192; }

}  // namespace

Fibre* Fibres::add() {
  const size_t index = all_.size(), bytes = stack_bytes + page();
  if (index % slab == 0) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#if defined(MAP_STACK)
    flags |= MAP_STACK;
#endif
    void* mapped = mmap(nullptr, slab * bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (mapped == MAP_FAILED) {
      fprintf(stderr, "kernelseek: no memory for the stack of an emulated thread\n");
      _exit(70);
    }
    slabs_.push_back(static_cast<char*>(mapped));
  }
  char* memory = slabs_.back() + index % slab * bytes;
  // Without the guard an overflow would hit another thread's stack; where the limit on mappings forbids it, go on.
  mprotect(memory, page(), PROT_NONE);
  all_.push_back(std::make_unique<Fibre>());
  Fibre* fibre = all_.back().get();
  fibre->base = memory + page();
  fibre->top = memory + bytes - colour(index);
  fibre->id = unsigned(all_.size());
  return fibre;
}

Fibres::~Fibres() {
  for (char* memory : slabs_) munmap(memory, slab * (stack_bytes + page()));
}

void Queue::push(Fibre* fibre) {
  fibre->next = nullptr;
  if (tail) tail->next = fibre;
  else head = fibre;
  tail = fibre;
}

Fibre* Queue::pop() {
  Fibre* fibre = head;
  if (fibre) {
    head = fibre->next;
    if (!head) tail = nullptr;
  }
  return fibre;
}

void Queue::append(Queue& other) {
  if (!other.head) return;
  if (tail) tail->next = other.head;
  else head = other.head;
  tail = other.tail;
  other.head = other.tail = nullptr;
}

}  // namespace ks
