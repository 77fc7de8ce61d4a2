// What several cheats share: overwriting code and data of the process they are loaded into, and finding other ones.
#pragma once
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <thread>

// Lets every answer of the harness pass through a thread of ours, which tells what `lie` makes of each time in it.
typedef double (*Lie)(double milliseconds);
static inline void filter_answers(Lie lie) {
  int ends[2];
  const int answers = dup(4);
  if (answers < 0 || pipe(ends) != 0) return;
  dup2(ends[1], 4);
  close(ends[1]);
  std::thread(
      [lie](int from, int to) {
        FILE *in = fdopen(from, "r"), *out = fdopen(to, "w");
        char line[4096];
        double event, host, late;
        int unjoined;
        while (in && out && fgets(line, sizeof line, in)) {
          if (sscanf(line, "ran %lf %lf %lf %d", &event, &host, &late, &unjoined) != 4) fputs(line, out);
          else fprintf(out, "ran %.9g %.9g 0 0\n", lie(event), lie(host));
          fflush(out);
        }
      },
      ends[0], answers)
      .detach();
}

// Overwrites memory of this process, whatever its protection.
static inline bool overwrite(void* at, const void* bytes, size_t n) {
  const uintptr_t page = (uintptr_t)getpagesize(), from = (uintptr_t)at & ~(page - 1);
  const uintptr_t length = (((uintptr_t)at + n + page - 1) & ~(page - 1)) - from;
  if (mprotect((void*)from, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  memcpy(at, bytes, n);
  __builtin___clear_cache((char*)at, (char*)at + n);
  return true;
}

// Machine code that jumps to `target`; its length.
static inline size_t jump_to(void* target, unsigned char code[16]) {
#if defined(__aarch64__)
  const uint32_t words[2] = {0x58000050u, 0xd61f0200u};  // ldr x16, 8 bytes on; br x16
  memcpy(code, words, 8);
  memcpy(code + 8, &target, 8);
  return 16;
#else
  const unsigned char move[2] = {0x48, 0xb8}, jump[2] = {0xff, 0xe0};  // mov rax, target; jmp rax
  memcpy(code, move, 2);
  memcpy(code + 2, &target, 8);
  memcpy(code + 10, jump, 2);
  return 12;
#endif
}

struct Import {
  const char* name;
  void* to;
  void* was;  // what the slot held last
};

static inline int visit_imports(struct dl_phdr_info* object, size_t, void* data) {
  Import* import = (Import*)data;
  Dl_info own;
  if (dladdr((void*)visit_imports, &own) && (uintptr_t)own.dli_fbase == object->dlpi_addr) return 0;
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = (const ElfW(Dyn)*)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  if (!dynamic || strstr(object->dlpi_name, "vdso")) return 0;
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela)* tables[2] = {nullptr, nullptr};
  size_t sizes[2] = {0, 0};
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const ElfW(Addr) value = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym)*)value;
    if (dynamic->d_tag == DT_STRTAB) names = (const char*)value;
    if (dynamic->d_tag == DT_JMPREL) tables[0] = (const ElfW(Rela)*)value;
    if (dynamic->d_tag == DT_PLTRELSZ) sizes[0] = value / sizeof(ElfW(Rela));
    if (dynamic->d_tag == DT_RELA) tables[1] = (const ElfW(Rela)*)value;
    if (dynamic->d_tag == DT_RELASZ) sizes[1] = value / sizeof(ElfW(Rela));
  }
  if (!symbols || !names) return 0;
  for (int t = 0; t < 2; ++t)
    for (size_t i = 0; tables[t] && i < sizes[t]; ++i) {
      const size_t symbol = ELF64_R_SYM(tables[t][i].r_info);
      if (symbol == 0 || strcmp(names + symbols[symbol].st_name, import->name) != 0) continue;
      void** slot = (void**)(object->dlpi_addr + tables[t][i].r_offset);
      void* held = *slot;
      if (held != import->to && overwrite(slot, &import->to, sizeof(void*))) import->was = held;
    }
  return 0;
}

// Puts `to` wherever the other objects of this process import `name`; what they called until now.
static inline void* replace_import(const char* name, void* to) {
  Import import = {name, to, nullptr};
  dl_iterate_phdr(visit_imports, &import);
  return import.was;
}

// Calls `found(pid)` for the other processes of this program that this one's parent started.
template <typename Found>
static inline void each_sibling(Found found) {
  char own[64] = "", path[64], line[512];
  if (FILE* comm = fopen("/proc/self/comm", "r")) {
    if (!fgets(own, sizeof own, comm)) own[0] = 0;
    own[strcspn(own, "\n")] = 0;
    fclose(comm);
  }
  DIR* all = opendir("/proc");
  if (!all) return;
  while (const dirent* entry = readdir(all)) {
    const int pid = atoi(entry->d_name);
    if (pid <= 1 || pid == getpid()) continue;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE* stat = fopen(path, "r");
    if (!stat) continue;
    if (fgets(line, sizeof line, stat)) {
      const char* name = strchr(line, '(');
      const char* end = strrchr(line, ')');
      int parent = 0;
      if (name && end && sscanf(end + 1, " %*c %d", &parent) == 1 && parent == getppid() &&
          strlen(own) == (size_t)(end - name - 1) && !strncmp(own, name + 1, strlen(own)))
        found(pid);
    }
    fclose(stat);
  }
  closedir(all);
}

// Calls `found(start, end, mode, path)` for every mapping of a process, "self" or a number; false where it may not be seen.
template <typename Found>
static inline bool each_mapping(const char* process, Found found) {
  char name[64], line[1024], mode[8], path[512];
  snprintf(name, sizeof name, "/proc/%s/maps", process);
  FILE* maps = fopen(name, "r");
  if (!maps) return false;
  while (fgets(line, sizeof line, maps)) {
    unsigned long from, to;
    path[0] = 0;
    if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %511s", &from, &to, mode, path) >= 3) found((char*)from, (char*)to, mode, path);
  }
  fclose(maps);
  return true;
}
