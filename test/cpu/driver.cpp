// Opens a library that the CPU target built and makes one call: ks_call_0 prints what the test reads.
#include <dlfcn.h>
#include <cstdio>

int main(int count, char** words) {
  void* library = count > 1 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library) return std::fprintf(stderr, "%s\n", dlerror()), 3;
  auto call = reinterpret_cast<int (*)(void**, void*)>(dlsym(library, "ks_call_0"));
  if (!call) return 3;
  const int error = call(nullptr, nullptr);
  std::fflush(stdout);
  std::printf("error %d\n", error);
}
