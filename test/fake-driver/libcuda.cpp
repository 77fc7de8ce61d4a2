// A stand-in for the CUDA driver, for machines without one: the calls that harness/driver.h names, by the same names and ABI.
// Its modules are shared libraries of kernels that are plain functions; it calls them once for every thread, one after the
// other, over host memory. Sizes of parameters come from mangled names, as a cubin's come from its own tables.
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "../../remote-runner/harness/driver.h"

struct ModuleTag {
  void* library;
};
struct FunctionTag {
  ModuleTag* module;
  std::string name;
  void* code;
  int maxShared = 48 * 1024;
};

namespace {

struct Parameters {
  int count = 0;
  char kinds[64];  // p: pointer, else the letter of the Itanium ABI
};

Parameters parametersOf(const FunctionTag& f) {
  Parameters found;
  const char* at = f.name.c_str();
  std::string given;
  if (std::strncmp(at, "_Z", 2)) {
    // C linkage: the source says it, since the name cannot.
    const char* told = (const char*)dlsym(f.module->library, (f.name + "_parameters").c_str());
    at = told ? told : "";
  } else {
    at += 2;
    const int length = std::atoi(at);
    while (*at >= '0' && *at <= '9') ++at;
    at += length;
  }
  for (; *at && *at != 'v' && found.count < 64; ++at) {
    char kind = *at;
    if (kind == 'S') {  // a type that was there before; only pointers are said again like this
      while (*at && *at != '_') ++at;
      kind = 'p';
    } else if (kind == 'P') {
      while (at[1] == 'K' || at[1] == 'P') ++at;
      ++at;
      kind = 'p';
    }
    found.kinds[found.count++] = kind;
  }
  return found;
}

size_t sizeOf(char kind) {
  if (std::strchr("plmxyd", kind)) return 8;
  if (std::strchr("ijf", kind)) return 4;
  return std::strchr("st", kind) ? 2 : 1;
}

}  // namespace

extern "C" {

int cuModuleLoadData(driver::Module* module, const void* image) {
  const auto* header = (const Elf64_Ehdr*)image;
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG)) return 200;
  const size_t bytes = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
  const int file = memfd_create("module", MFD_CLOEXEC);
  if (file < 0 || write(file, image, bytes) != (ssize_t)bytes) return 2;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (!library) return std::fprintf(stderr, "%s\n", dlerror()), 200;
  *module = (driver::Module) new ModuleTag{library};
  return 0;
}

int cuModuleUnload(driver::Module module) {
  auto* m = (ModuleTag*)module;
  dlclose(m->library);
  delete m;
  return 0;
}

int cuModuleGetFunction(driver::Function* function, driver::Module module, const char* name) {
  auto* m = (ModuleTag*)module;
  void* code = dlsym(m->library, name);
  if (!code) return 500;
  *function = (driver::Function) new FunctionTag{m, name, code};
  return 0;
}

int cuFuncGetParamInfo(driver::Function function, size_t index, size_t* offset, size_t* size) {
  const Parameters p = parametersOf(*(FunctionTag*)function);
  if (index >= (size_t)p.count) return driver::invalidValue;
  *offset = 8 * index;
  *size = sizeOf(p.kinds[index]);
  return 0;
}

int cuFuncSetAttribute(driver::Function function, int attribute, int value) {
  if (attribute != driver::maxShared) return 0;
  if (value > 227 * 1024) return driver::invalidValue;
  ((FunctionTag*)function)->maxShared = value;
  return 0;
}

int cuLaunchKernelEx(const driver::LaunchConfig* config, driver::Function function, void** parameters, void**) {
  const auto& f = *(const FunctionTag*)function;
  const unsigned *g = config->grid, *b = config->block;
  if (config->shared > (unsigned)f.maxShared || (uint64_t)b[0] * b[1] * b[2] > 1024) return driver::invalidValue;
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const auto& a = config->attributes[i];
    if (a.id != driver::clusterDimension || g[0] % a.value.cluster.x || g[1] % a.value.cluster.y || g[2] % a.value.cluster.z)
      return driver::invalidValue;
  }
  const Parameters p = parametersOf(f);
  // Whole numbers and reals go into registers of their own, each in their order: one type of call serves all kernels.
  uint64_t whole[6] = {};
  double real[8] = {};
  int wholes = 0, reals = 0;
  for (int i = 0; i < p.count; ++i) {
    const bool isReal = p.kinds[i] == 'f' || p.kinds[i] == 'd';
    if (isReal ? reals == 8 : wholes == 6) return driver::invalidValue;
    std::memcpy(isReal ? (void*)&real[reals++] : (void*)&whole[wholes++], parameters[i], sizeOf(p.kinds[i]));
  }
  using Kernel = void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double, double, double, double, double,
                          double, double, double);
  auto index = [&](const char* name) { return (unsigned*)dlsym(f.module->library, name); };
  unsigned *thread = index("threadIdx"), *block = index("blockIdx");
  std::memcpy(index("gridDim"), g, 12);
  std::memcpy(index("blockDim"), b, 12);
  for (block[2] = 0; block[2] < g[2]; ++block[2])
    for (block[1] = 0; block[1] < g[1]; ++block[1])
      for (block[0] = 0; block[0] < g[0]; ++block[0])
        for (thread[2] = 0; thread[2] < b[2]; ++thread[2])
          for (thread[1] = 0; thread[1] < b[1]; ++thread[1])
            for (thread[0] = 0; thread[0] < b[0]; ++thread[0])
              ((Kernel)f.code)(whole[0], whole[1], whole[2], whole[3], whole[4], whole[5], real[0], real[1], real[2], real[3],
                               real[4], real[5], real[6], real[7]);
  return 0;
}

int cuGetErrorName(int code, const char** name) {
  *name = code == driver::invalidValue ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR_OTHER";
  return 0;
}

int cuGetErrorString(int code, const char** text) {
  *text = code == driver::invalidValue ? "invalid argument" : "another error";
  return 0;
}
}
