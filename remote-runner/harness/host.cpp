// The trusted host program: loads one candidate library, owns its device buffers, makes and times the calls it is told to.
// One source for both targets: compiled by nvcc against CUDA, or by the host compiler against the emulation headers.
// It decides nothing. Inputs come from a read-only segment, results go to another one, and the keeper, in a process that
// runs no candidate code, compares them. Whatever the candidate does to this process, it cannot reach expected values.
//
// fd 3: commands, one a line.  fd 4: answers.  fd 5: segment in (read-only).  fd 6: segment out.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <grp.h>

#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Call = int (*)(void** arguments, void* stream);

struct Buffer {
  size_t offset;   // of the fenced region in the segments
  size_t bytes;    // of the fenced region
  size_t pointer;  // from the start of the region to what the candidate is given
  bool result;     // copied back after every call; the others only when asked for
  char* device;    // allocation, `slack` bytes larger than the region
};

// Fresh addresses without an allocation per call: each call's regions start at a shift the runner draws, below this bound.
constexpr size_t slack = 1 << 16;

FILE* commands;
FILE* answers;
const char* segmentIn;
char* segmentOut;
size_t sizeIn, sizeOut;

void* library;
std::vector<Call> calls;
std::vector<Buffer> buffers;
std::vector<unsigned long long> values;  // one 8-byte slot per argument; a buffer's slot holds its device pointer
std::vector<int> bufferOfSlot;           // -1 for values
int group;
size_t shift;
bool cold;
cudaStream_t stream;
cudaEvent_t before, after;
char* flush;
size_t flushBytes;

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

void release() {
  for (Buffer& b : buffers) cudaFree(b.device);
  buffers.clear();
  values.clear();
  bufferOfSlot.clear();
}

void open(const char* path, int count) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return answer("error load 0 dlopen %s", dlerror());
  for (int i = 0; i < count; ++i) {
    Call call = reinterpret_cast<Call>(dlsym(library, ("ks_call_" + std::to_string(i)).c_str()));
    if (!call) return answer("error load 0 dlsym ks_call_%d is missing", i);
    calls.push_back(call);
  }
  answer("ok");
}

// `scenario GROUP BUFFERS SLOTS`, then BUFFERS lines `OFFSET BYTES POINTER RESULT`, then SLOTS lines `b INDEX` or `v HEX64`.
void scenario(int chosen, size_t bufferCount, size_t slotCount) {
  release();
  group = chosen;
  bool bad = group < 0 || (size_t)group >= calls.size();
  for (size_t i = 0; i < bufferCount; ++i) {
    Buffer b{};
    int result;
    if (std::fscanf(commands, "%zu %zu %zu %d", &b.offset, &b.bytes, &b.pointer, &result) != 4) std::exit(3);
    b.result = result != 0;
    bad = bad || b.offset + b.bytes > sizeIn || b.offset + b.bytes > sizeOut || b.pointer > b.bytes;
    buffers.push_back(b);
  }
  for (size_t i = 0; i < slotCount; ++i) {
    char kind;
    unsigned long long value;
    if (std::fscanf(commands, " %c %llx", &kind, &value) != 2) std::exit(3);
    bufferOfSlot.push_back(kind == 'b' ? (int)value : -1);
    values.push_back(value);
    bad = bad || (kind == 'b' && value >= bufferCount);
  }
  if (bad) return answer("error scenario 0 range a command is out of range");
  for (Buffer& b : buffers)
    if (failed("allocate", cudaMalloc(reinterpret_cast<void**>(&b.device), b.bytes + slack))) return;
  answer("ok");
}

void load(size_t newShift, bool flushFirst) {
  shift = newShift % slack;
  cold = flushFirst;
  for (const Buffer& b : buffers)
    if (failed("load", cudaMemcpy(b.device + shift, segmentIn + b.offset, b.bytes, cudaMemcpyHostToDevice))) return;
  if (failed("load", cudaDeviceSynchronize())) return;
  answer("ok");
}

// Time by events on the stream the candidate is given. Work that is still running elsewhere when that stream is done is
// waited for and counted, so that another stream hides nothing.
void go() {
  using Clock = std::chrono::steady_clock;
  std::vector<void*> arguments(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (bufferOfSlot[i] >= 0) {
      const Buffer& b = buffers[bufferOfSlot[i]];
      values[i] = reinterpret_cast<unsigned long long>(b.device + shift + b.pointer);
    }
    arguments[i] = &values[i];
  }
  // Twice the L2 is written just before, without waiting: the cache is cold, and the device is busy while the host enqueues
  // the call, so that the host's launch latency is not taken for the kernel's time.
  if (cold && flushBytes && failed("flush", cudaMemsetAsync(flush, (int)(shift >> 9), flushBytes, stream))) return;
  if (failed("event", cudaEventRecord(before, stream))) return;
  const Clock::time_point start = Clock::now();
  const int launched = calls[group](arguments.data(), stream);
  if (launched != cudaSuccess) {
    cudaGetLastError();
    failed("launch", (cudaError_t)launched);
    return;
  }
  if (failed("event", cudaEventRecord(after, stream))) return;
  if (failed("run", cudaEventSynchronize(after))) return;
  const Clock::time_point streamDone = Clock::now();
  if (failed("run", cudaDeviceSynchronize())) return;
  const Clock::time_point allDone = Clock::now();
  if (failed("run", cudaGetLastError())) return;
  float event = 0;
  if (failed("event", cudaEventElapsedTime(&event, before, after))) return;
  const double late = std::chrono::duration<double, std::milli>(allDone - streamDone).count();
  const double host = std::chrono::duration<double, std::milli>(allDone - start).count();
  answer("ran %.9g %.9g %.9g", (double)event, host, late);
}

void store(bool all) {
  for (const Buffer& b : buffers)
    if ((all || b.result) &&
        failed("store", cudaMemcpy(segmentOut + b.offset, b.device + shift, b.bytes, cudaMemcpyDeviceToHost)))
      return;
  answer("ok");
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
#ifdef __linux__
  // When the runner dies, so does this. After setuid, which clears it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  commands = fdopen(3, "r");
  answers = fdopen(4, "w");
  if (!commands || !answers) return 3;
  segmentIn = map<const char>(5, PROT_READ, &sizeIn);
  segmentOut = map<char>(6, PROT_READ | PROT_WRITE, &sizeOut);

  // The context takes a few hundred milliseconds: made now, while the candidate is still being compiled.
  int l2 = 0;
  if (failed("device", cudaFree(nullptr)) || failed("device", cudaStreamCreate(&stream)) ||
      failed("device", cudaEventCreate(&before)) || failed("device", cudaEventCreate(&after)) ||
      failed("device", cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0)))
    return 2;
  flushBytes = 2 * (size_t)l2;
#ifdef __CUDACC__
  // Pinned segments copy several times as fast. Where the driver refuses, copies are slower and nothing else changes.
  cudaHostRegister(const_cast<char*>(segmentIn), sizeIn, cudaHostRegisterReadOnly);
  cudaHostRegister(segmentOut, sizeOut, cudaHostRegisterDefault);
  cudaGetLastError();
#endif
  if (flushBytes && failed("device", cudaMalloc(reinterpret_cast<void**>(&flush), flushBytes))) return 2;
  answer("ready");

  char verb[16], path[4096];
  while (std::fscanf(commands, "%15s", verb) == 1) {
    int a;
    size_t m, n;
    if (!std::strcmp(verb, "open") && std::fscanf(commands, "%d %4095[^\n]", &a, path) == 2) open(path, a);
    else if (!std::strcmp(verb, "scenario") && std::fscanf(commands, "%d %zu %zu", &a, &m, &n) == 3) scenario(a, m, n);
    else if (!std::strcmp(verb, "load") && std::fscanf(commands, "%zu %d", &m, &a) == 2) load(m, a != 0);
    else if (!std::strcmp(verb, "go")) go();
    else if (!std::strcmp(verb, "store") && std::fscanf(commands, "%d", &a) == 1) store(a != 0);
    else break;
  }
  // No destructors and no atexit handlers of the candidate: nothing of its runs after its last call.
  _exit(0);
}
