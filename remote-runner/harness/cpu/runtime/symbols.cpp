// Static shared variables are thread-local variables of a function: `_ZZ <function> E <variable>` in the symbol table.
#include "symbols.h"

#if defined(__linux__) && defined(__GLIBC__)
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::vector<char> contents(const char* path) {
  std::vector<char> bytes;
  FILE* file = fopen(path, "rb");
  if (!file) return bytes;
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  bytes.resize(size > 0 ? size_t(size) : 0);
  if (!bytes.empty() && fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) bytes.clear();
  fclose(file);
  return bytes;
}

/** The library was linked by the toolchain and loaded by the loader: its tables are what they say. */
struct Symbols {
  const ElfW(Sym)* first = nullptr;
  size_t count = 0;
  const char* names = nullptr;

  explicit Symbols(const std::vector<char>& file) {
    if (file.size() < sizeof(ElfW(Ehdr))) return;
    const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(file.data());
    const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(file.data() + header->e_shoff);
    for (int i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type != SHT_SYMTAB) continue;
      first = reinterpret_cast<const ElfW(Sym)*>(file.data() + sections[i].sh_offset);
      count = sections[i].sh_size / sizeof(ElfW(Sym));
      names = file.data() + sections[sections[i].sh_link].sh_offset;
    }
  }
};

}  // namespace

size_t ks::static_variables_of(const void* function) {
  Dl_info info;
  if (!dladdr(function, &info) || !info.dli_fname) return 0;
  const std::vector<char> file = contents(info.dli_fname);
  const Symbols symbols(file);
  const uintptr_t offset = reinterpret_cast<uintptr_t>(function) - reinterpret_cast<uintptr_t>(info.dli_fbase);
  std::string prefix;
  for (size_t i = 0; i < symbols.count && prefix.empty(); ++i) {
    const ElfW(Sym)& symbol = symbols.first[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value != offset) continue;
    const std::string name = symbols.names + symbol.st_name;
    prefix = name.compare(0, 2, "_Z") == 0 ? "_ZZ" + name.substr(2) + "E"
                                           : "_ZZ" + std::to_string(name.size()) + name + "E";
  }
  size_t bytes = 0;
  for (size_t i = 0; i < symbols.count && !prefix.empty(); ++i) {
    const ElfW(Sym)& symbol = symbols.first[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_shndx == SHN_UNDEF) continue;
    if (strncmp(symbols.names + symbol.st_name, prefix.c_str(), prefix.size()) == 0) bytes += symbol.st_size;
  }
  return bytes;
}

#else
size_t ks::static_variables_of(const void*) { return 0; }
#endif
