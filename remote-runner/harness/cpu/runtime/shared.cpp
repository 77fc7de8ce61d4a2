// Shared memory of a block: dynamic as one thread-local array, static as the thread-local segment of the library.
#include "shared.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../include/ks/abi.h"

extern "C" {
KS_TLS __attribute__((aligned(1024))) char ks_dynamic_shared[ks::max_shared];
}

namespace {
constexpr size_t granule = 128, fence = 512;

/** The fence behind a block's bytes; cut off where the array ends. */
size_t fence_start(size_t bytes) { return std::min((bytes + granule - 1) / granule * granule, ks::max_shared); }
size_t fence_end(size_t bytes) { return std::min(fence_start(bytes) + fence, ks::max_shared); }
}  // namespace

void ks::poison_dynamic_shared(size_t bytes) { memset(ks_dynamic_shared, 0xff, fence_end(bytes)); }

bool ks::dynamic_shared_intact(size_t bytes) {
  const size_t start = fence_start(bytes), length = fence_end(bytes) - start;
  // All bytes are ones exactly if the first is and each equals the next.
  return length < 2 || (ks_dynamic_shared[start] == char(0xff) &&
                        memcmp(ks_dynamic_shared + start, ks_dynamic_shared + start + 1, length - 1) == 0);
}

#if defined(__linux__) && defined(__GLIBC__)
#include <link.h>

struct ks_tls_index {
  unsigned long module, offset;
};
extern "C" void* __tls_get_addr(ks_tls_index*);

namespace {

struct Search {
  uintptr_t address;
  uintptr_t base;
  size_t module, initialised, bytes;
};

int look(dl_phdr_info* info, size_t size, void* argument) {
  Search& search = *static_cast<Search*>(argument);
  if (size < offsetof(dl_phdr_info, dlpi_tls_data)) return 0;
  bool holds = false;
  const ElfW(Phdr)* tls = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && search.address - start < header.p_memsz) holds = true;
    if (header.p_type == PT_TLS) tls = &header;
  }
  if (!holds) return 0;
  search.base = info->dlpi_addr;
  if (tls && info->dlpi_tls_modid) {
    search.module = info->dlpi_tls_modid;
    search.initialised = tls->p_filesz;
    search.bytes = tls->p_memsz;
  }
  return 1;
}

}  // namespace

void ks::poison_static_shared(const void* module) {
  static thread_local std::vector<const void*> done;
  if (!module) return;
  for (const void* m : done) {
    if (m == module) return;
  }
  done.push_back(module);
  static thread_local std::vector<uintptr_t> bases;
  Search search{reinterpret_cast<uintptr_t>(module), 0, 0, 0, 0};
  if (!dl_iterate_phdr(look, &search) || !search.module) return;
  for (uintptr_t base : bases) {
    if (base == search.base) return;
  }
  bases.push_back(search.base);
  ks_tls_index index{search.module, 0};
  char* segment = static_cast<char*>(__tls_get_addr(&index));
  memset(segment + search.initialised, 0xff, search.bytes - search.initialised);
}

#else
void ks::poison_static_shared(const void*) {}
#endif
