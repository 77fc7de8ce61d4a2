// Stacks of fibres, and queues of them.
#include "fibre.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

namespace ks {

namespace {

// CUDA allows 512 KiB of local memory per thread; pages are touched on use only.
constexpr size_t stack_bytes = 512 * 1024;

/** Stacks start at different offsets within a page: equal ones would all fall into the same few cache sets. */
size_t colour(size_t index) { return index % 13 * 192; }

}  // namespace

void Fibre::allocate(size_t index) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  bytes = stack_bytes + page;
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    fprintf(stderr, "kernelseek: no memory for the stack of an emulated thread\n");
    _exit(70);
  }
  memory = static_cast<char*>(mapped);
  // Without the guard an overflow would hit another thread's stack; where the limit on mappings forbids it, go on.
  mprotect(memory, page, PROT_NONE);
  base = memory + page;
  top = memory + bytes - colour(index);
}

Fibre::~Fibre() {
  if (memory) munmap(memory, bytes);
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
