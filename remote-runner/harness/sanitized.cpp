// The trusted host program under a sanitizer: loads one candidate library, makes one call on buffers that are exactly as
// large as the task says, and ends. Nothing is timed and nothing decided here. One source for both targets, as host.cpp.
//
// Why not host.cpp: it keeps each buffer inside a larger allocation, between fences and at moving addresses, where a
// sanitizer sees no edge; and its process serves many calls, where a sanitizer's report belongs to one.
//
// fd 3: what to do, to the end of the file.  fd 4: answers, and what strict mode finds.  fd 5: segment in (read-only).
// fd 6: segment out.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <grp.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#ifndef __CUDACC__
#include "cpu/runtime/strict.h"
#endif

namespace {

using Call = int (*)(void** arguments, void* stream);

struct Buffer {
  size_t offset;  // of its contents in the segments
  size_t bytes;   // of its contents, and of what the candidate may touch
  size_t skip;    // from the first of them to the pointer that is passed
  size_t align;   // of the first of them
  int load, store;
  char* allocation;
  char* device;
};

/** Beyond what any call under a sanitizer is given. */
[[maybe_unused]] constexpr unsigned longestSeconds = 600;

/** Alignment of every allocation, bytes. */
#ifndef __CUDACC__
constexpr size_t aligned = 4096;
#else
constexpr size_t aligned = 256;
#endif

FILE* commands;
FILE* answers;

[[gnu::format(printf, 1, 2)]] void answer(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(answers, format, arguments);
  va_end(arguments);
  std::fputc('\n', answers);
  std::fflush(answers);
}

// `error WHAT CODE NAME text`: WHAT says in which step, CODE is the runtime's.
bool failed(const char* what, cudaError_t code) {
  if (code == cudaSuccess) return false;
  answer("error %s %d %s %s", what, (int)code, cudaGetErrorName(code), cudaGetErrorString(code));
  return true;
}

template <typename Byte>
Byte* map(int fd, int protection, size_t* size) {
  struct stat status;
  if (fstat(fd, &status) != 0) std::exit(3);
  *size = (size_t)status.st_size;
  void* address = mmap(nullptr, *size, protection, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) std::exit(3);
  return static_cast<Byte*>(address);
}

[[noreturn]] void malformed() { std::exit(3); }

bool allocate(Buffer& b) {
  // Only what asks for more alignment than every allocation has gets bytes beside its own.
  const size_t spare = b.align > aligned ? b.align : 0;
  // An empty buffer has an address too, and no byte that may be touched beside this one.
  if (failed("allocate", cudaMalloc(reinterpret_cast<void**>(&b.allocation), (b.bytes ? b.bytes : 1) + spare))) return false;
  const uintptr_t address = reinterpret_cast<uintptr_t>(b.allocation);
  b.device = b.allocation + (spare ? (spare - address % spare) % spare : 0);
  return true;
}

// `PATH`, a line; `GROUP BUFFERS SLOTS`; BUFFERS lines `NAME OFFSET BYTES SKIP ALIGN LOAD STORE`; SLOTS lines `b INDEX` or
// `v HEX64`; in strict mode `OBJECTS`, then as many lines `s|g OFFSET BYTES NAME`: the library's shared and global variables.
int run() {
  size_t sizeIn, sizeOut;
  const char* in = map<const char>(5, PROT_READ, &sizeIn);
  char* out = map<char>(6, PROT_READ | PROT_WRITE, &sizeOut);
  char path[4096], name[256];
  int group;
  size_t bufferCount, slotCount;
  if (std::fscanf(commands, "%4095[^\n] %d %zu %zu", path, &group, &bufferCount, &slotCount) != 4) malformed();
  std::vector<Buffer> buffers(bufferCount);
  std::vector<std::string> names;
  for (Buffer& b : buffers) {
    if (std::fscanf(commands, "%255s %zu %zu %zu %zu %d %d", name, &b.offset, &b.bytes, &b.skip, &b.align, &b.load, &b.store) != 7)
      malformed();
    if (b.offset > sizeIn || b.bytes > sizeIn - b.offset || b.offset > sizeOut || b.bytes > sizeOut - b.offset) malformed();
    names.push_back(name);
  }
  std::vector<unsigned long long> values(slotCount);
  std::vector<int> bufferOfSlot(slotCount, -1);
  std::vector<void*> arguments(slotCount);
  for (size_t i = 0; i < slotCount; ++i) {
    char kind;
    if (std::fscanf(commands, " %c %llx", &kind, &values[i]) != 2) malformed();
    if (kind == 'b' && values[i] >= bufferCount) malformed();
    if (kind == 'b') bufferOfSlot[i] = (int)values[i];
    arguments[i] = &values[i];
  }

  cudaStream_t stream;
  if (failed("device", cudaFree(nullptr)) || failed("device", cudaStreamCreate(&stream))) return 0;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return answer("error load 0 dlopen %s", dlerror()), 0;
  Call call = reinterpret_cast<Call>(dlsym(library, ("ks_call_" + std::to_string(group)).c_str()));
  if (!call) return answer("error load 0 dlsym ks_call_%d is missing", group), 0;
#ifndef __CUDACC__
  size_t objects;
  if (std::fscanf(commands, "%zu", &objects) != 1) malformed();
  ks_strict_open(reinterpret_cast<const void*>(call), fileno(answers));
  for (size_t i = 0; i < objects; ++i) {
    char kind;
    size_t offset, bytes;
    if (std::fscanf(commands, " %c %zu %zu %255s", &kind, &offset, &bytes, name) != 4) malformed();
    ks_strict_object(kind, offset, bytes, name);
  }
#endif
  for (size_t i = 0; i < bufferCount; ++i) {
    Buffer& b = buffers[i];
    if (!allocate(b)) return 0;
#ifndef __CUDACC__
    ks_strict_name(b.allocation, names[i].c_str());
#endif
    if (b.load && b.bytes && failed("load", cudaMemcpy(b.device, in + b.offset, b.bytes, cudaMemcpyHostToDevice))) return 0;
  }
  for (size_t i = 0; i < slotCount; ++i)
    if (bufferOfSlot[i] >= 0) {
      const Buffer& b = buffers[(size_t)bufferOfSlot[i]];
      values[i] = reinterpret_cast<unsigned long long>(b.device + b.skip);
    }
  if (failed("load", cudaDeviceSynchronize())) return 0;
  answer("begun");

  const int launched = call(arguments.data(), stream);
  if (launched != cudaSuccess) {
    cudaGetLastError();
    failed("launch", (cudaError_t)launched);
    return 0;
  }
  if (failed("run", cudaDeviceSynchronize()) || failed("run", cudaGetLastError())) return 0;
  for (const Buffer& b : buffers)
    if (b.store && b.bytes && failed("store", cudaMemcpy(out + b.offset, b.device, b.bytes, cudaMemcpyDeviceToHost))) return 0;
  answer("ran");
  return 0;
}

}  // namespace

int main() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // When memory is short, this process goes first.
  if (FILE* oom = std::fopen("/proc/self/oom_score_adj", "w")) {
    std::fputs("1000", oom);
    std::fclose(oom);
  }
  // Never as root: root reads any process's memory, the keeper's too.
  if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0)) return 3;
#ifndef __CUDACC__
  // When the runner dies, so does this. After setuid, which clears it.
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
#else
  // Started by the tool, perhaps from a thread that does not stay: it ends by the clock.
  alarm(longestSeconds);
#endif
  commands = fdopen(3, "r");
  answers = fdopen(4, "w");
  if (!commands || !answers) return 3;
  // A regular end: that is when a sanitizer writes its summary.
  return run();
}
