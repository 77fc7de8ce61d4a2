// The trusted host program: loads one candidate library, owns its device buffers, makes and times the calls it is told to.
// Started with the argument `module` it loads device code alone and launches it itself: no host code of a candidate runs.
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
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "control.h"
#include "module.h"
#ifndef __CUDACC__
#include "cpu/runtime/pending.h"
#endif

namespace {

using Call = int (*)(void** arguments, void* stream);

struct Buffer {
  size_t offset;   // of the fenced region in the segments
  size_t bytes;    // of the fenced region
  size_t pointer;  // from the start of the region to what the candidate is given
  bool result;     // copied back after every call; the others only when asked for
  std::vector<char*> devices;  // one allocation for each slot, `slack` bytes larger than the region
};

// Fresh addresses without an allocation per call: each call's regions start at a shift the runner draws, below this bound.
constexpr size_t slack = 1 << 16;
// At either end of a region, also FENCE in layout.ts.
constexpr size_t fenceBytes = 4096;

FILE* commands;
FILE* answers;
const char* segmentIn;
char* segmentOut;
size_t sizeIn, sizeOut;

void* library;
std::vector<Call> calls;
PlannedModule planned;
std::vector<Buffer> buffers;
std::vector<unsigned long long> values;  // one 8-byte slot per argument; a buffer's slot holds its device pointer
std::vector<int> bufferOfSlot;           // -1 for values
int group;
std::vector<size_t> shifts;  // of each slot: a set of all buffers with contents of its own
bool cold;
cudaStream_t stream;
std::vector<cudaEvent_t> before, after;  // of each call of a batch
const Request* request;
Reply* reply;
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
  for (Buffer& b : buffers)
    for (char* device : b.devices) cudaFree(device);
  buffers.clear();
  values.clear();
  bufferOfSlot.clear();
  shifts.clear();
  planned.steps.clear();
  planned.resize(0);
}

// The same of the driver's own calls, whose codes mean what the runtime's do.
bool driverFailed(const char* what, int code) {
  if (code == driver::success) return false;
  const char *name = "?", *text = "?";
  driver::getErrorName(code, &name);
  driver::getErrorString(code, &text);
  answer("error %s %d %s %s", what, code, name, text);
  return true;
}

void slots(size_t count);

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

// `module KERNELS PATH`, then the mangled name of each kernel. What is no fault of a candidate is told as `plan`.
void module(const char* path, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    char name[4097];
    if (std::fscanf(commands, "%4096s", name) != 1) std::exit(3);
    names.push_back(name);
  }
  if (const char* missing = driver::open()) return answer("error plan 0 driver it has no %s", missing);
  std::vector<char> image;
  if (FILE* file = std::fopen(path, "rb")) {
    std::fseek(file, 0, SEEK_END);
    image.resize((size_t)std::max(0L, std::ftell(file)));
    std::rewind(file);
    if (std::fread(image.data(), 1, image.size(), file) != image.size()) image.clear();
    std::fclose(file);
  }
  if (!planned.open(std::move(image), std::move(names))) return answer("error plan 0 file the module cannot be read");
  planned.resize(1);
  if (int code = planned.load(0)) return answer("error plan %d load the driver does not load its kernels", code);
  answer("ok");
}

bool fits(const PlanArgument& a, size_t bytes) {
  if (a.buffer < 0) return true;
  if ((size_t)a.buffer >= buffers.size()) return false;
  const Buffer& b = buffers[a.buffer];
  const size_t room = b.bytes - fenceBytes - b.pointer;
  return b.pointer <= b.bytes - fenceBytes && a.offset <= room && bytes <= room - a.offset;
}

// `plan STEPS`, then for each a line: `m BUFFER OFFSET VALUE BYTES`, or `l KERNEL GRID×3 BLOCK×3 SHARED MAX_SHARED CARVEOUT
// NON_PORTABLE CLUSTER×3 ARGUMENTS` with its arguments `b BUFFER OFFSET`, `n` and `v BYTES HEX64`.
void plan(size_t count) {
  bool bad = !planned.isOpen();
  planned.steps.clear();
  for (size_t i = 0; i < count; ++i) {
    PlanStep s{};
    char kind;
    size_t arguments = 0;
    if (std::fscanf(commands, " %c", &kind) != 1) std::exit(3);
    if (kind == 'm') {
      PlanArgument a{};
      s.kernel = -1;
      if (std::fscanf(commands, "%d %zu %llu %zu", &a.buffer, &a.offset, &a.bits, &a.bytes) != 4) std::exit(3);
      bad = bad || a.buffer < 0 || !fits(a, a.bytes);
      s.arguments.push_back(a);
    } else {
      unsigned *g = s.config.grid, *b = s.config.block, cluster[3];
      if (std::fscanf(commands, "%d %u %u %u %u %u %u %u %d %d %d %u %u %u %zu", &s.kernel, g, g + 1, g + 2, b, b + 1, b + 2,
                      &s.config.shared, &s.maxShared, &s.carveout, &s.nonPortableCluster, cluster, cluster + 1, cluster + 2,
                      &arguments) != 15 || arguments > 64)
        std::exit(3);
      s.cluster.id = driver::clusterDimension;
      s.cluster.value.cluster = {cluster[0], cluster[1], cluster[2]};
      s.config.attributeCount = cluster[0] > 0;
      bad = bad || !planned.has(s.kernel);
    }
    for (size_t j = 0; j < arguments; ++j) {
      PlanArgument a{-2, 0, 0, 0};
      if (std::fscanf(commands, " %c", &kind) != 1) std::exit(3);
      if (kind == 'b' && std::fscanf(commands, "%d %zu", &a.buffer, &a.offset) != 2) std::exit(3);
      if (kind == 'v' && std::fscanf(commands, "%zu %llx", &a.bytes, &a.bits) != 2) std::exit(3);
      if (kind == 'v') a.buffer = -1;
      bad = bad || !fits(a, 0);
      s.arguments.push_back(a);
    }
    planned.steps.push_back(s);
  }
  if (bad) return answer("error plan 0 range a step is out of range");
  planned.resize(1);
  if (driverFailed("launch", planned.load(0))) return;
  const int wrong = planned.misfit(0);
  if (wrong >= 0) return answer("error plan 0 parameters the parameters of its kernel %d have other sizes", wrong + 1);
  answer("ok");
}

// `scenario GROUP BUFFERS SLOTS`, then BUFFERS lines `OFFSET BYTES POINTER RESULT`, then SLOTS lines `b INDEX` or `v HEX64`.
void scenario(int chosen, size_t bufferCount, size_t slotCount) {
  release();
  group = chosen;
  bool bad = !planned.isOpen() && (group < 0 || (size_t)group >= calls.size());
  for (size_t i = 0; i < bufferCount; ++i) {
    Buffer b{};
    int result;
    if (std::fscanf(commands, "%zu %zu %zu %d", &b.offset, &b.bytes, &b.pointer, &result) != 4) std::exit(3);
    b.result = result != 0;
    bad = bad || b.offset + b.bytes > sizeIn - controlBytes || b.offset + b.bytes > sizeOut - controlBytes || b.pointer > b.bytes ||
          b.bytes < 2 * fenceBytes;
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
  slots(1);
}

// Makes room for `count` calls with contents of their own.
void slots(size_t count) {
  shifts.resize(std::max(shifts.size(), count), 0);
  if (planned.isOpen()) planned.resize(shifts.size());
  for (Buffer& b : buffers)
    while (b.devices.size() < count) {
      char* device = nullptr;
      if (failed("allocate", cudaMalloc(reinterpret_cast<void**>(&device), b.bytes + slack))) return;
      b.devices.push_back(device);
    }
  while (before.size() < count) {
    cudaEvent_t first, second;
    if (failed("event", cudaEventCreate(&first)) || failed("event", cudaEventCreate(&second))) return;
    before.push_back(first), after.push_back(second);
  }
  answer("ok");
}

void load(size_t slot, size_t shift, bool flushFirst) {
  shifts[slot] = shift % slack;
  cold = flushFirst;
  if (planned.isOpen() && driverFailed("load", planned.load(slot))) return;
#ifdef __CUDACC__
  // Lines that an earlier call asked to be kept in the L2 would survive the flush.
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
  cudaCtxResetPersistingL2Cache();
  cudaGetLastError();
#endif
  for (const Buffer& b : buffers)
    if (failed("load", cudaMemcpy(b.devices[slot] + shifts[slot], segmentIn + b.offset, b.bytes, cudaMemcpyHostToDevice)))
      return;
  if (failed("load", cudaDeviceSynchronize())) return;
  answer("ok");
}

// The values of one slot's call; they must stay where they are while it is made.
struct Arguments {
  std::vector<unsigned long long> values;
  std::vector<void*> pointers;
  explicit Arguments(size_t slot) : values(::values), pointers(values.size()) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (bufferOfSlot[i] >= 0) {
        const Buffer& b = buffers[bufferOfSlot[i]];
        values[i] = reinterpret_cast<unsigned long long>(b.devices[slot] + shifts[slot] + b.pointer);
      }
      pointers[i] = &values[i];
    }
  }
};

#ifndef __CUDACC__
// Device memory is the host's here: a page that is only computed when it is read is read within the time.
void touchResults(size_t slot) {
  for (const Buffer& b : buffers)
    for (size_t i = 0; b.result && i < b.bytes; i += 4096)
      (void)*static_cast<volatile const char*>(b.devices[slot] + shifts[slot] + i);
}
#endif

// The steps of the plan, in order.
int launchPlanned(size_t slot, cudaStream_t into) {
  for (const PlanStep& step : planned.steps) {
    unsigned long long given[64];
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      const PlanArgument& a = step.arguments[i];
      given[i] = a.buffer == -1 ? a.bits : 0;
      if (a.buffer < 0) continue;
      const Buffer& b = buffers[a.buffer];
      given[i] = reinterpret_cast<unsigned long long>(b.devices[slot] + shifts[slot] + b.pointer + a.offset);
    }
    const PlanArgument* filled = step.kernel < 0 ? &step.arguments[0] : nullptr;
    const int code = filled ? (int)cudaMemsetAsync(reinterpret_cast<void*>(given[0]), (int)filled->bits, filled->bytes, into)
                            : planned.launch(slot, step, given, into);
    if (code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

int makeCall(size_t slot, Arguments& arguments) {
  return planned.isOpen() ? launchPlanned(slot, stream) : calls[group](arguments.pointers.data(), stream);
}

// Enqueues one call between its two events.
bool enqueue(size_t slot, Arguments& arguments) {
  // Twice the L2 is written just before, without waiting: the cache is cold, and the device is busy while the host enqueues
  // the call, so that the host's launch latency is not taken for the kernel's time.
  if (cold && flushBytes && failed("flush", cudaMemsetAsync(flush, (int)(shifts[slot] >> 9), flushBytes, stream))) return false;
  if (failed("event", cudaEventRecord(before[slot], stream))) return false;
  const int launched = makeCall(slot, arguments);
  if (launched != cudaSuccess) {
    cudaGetLastError();
    failed("launch", (cudaError_t)launched);
    return false;
  }
#ifndef __CUDACC__
  touchResults(slot);
#endif
  return !failed("event", cudaEventRecord(after[slot], stream));
}

// Time by events on the stream the candidate is given. Work that is still running elsewhere when that stream is done is
// waited for and counted, so that another stream hides nothing.
void go() {
  using Clock = std::chrono::steady_clock;
  Arguments arguments(0);
  const Clock::time_point start = Clock::now();
  if (!enqueue(0, arguments)) return;
  if (failed("run", cudaEventSynchronize(after[0]))) return;
  const Clock::time_point streamDone = Clock::now();
#ifdef __CUDACC__
  const bool unjoined = false;  // Nobody tells: what is still running is waited for below, and counted.
#else
  const bool unjoined = ks_unjoined(stream);
#endif
  if (failed("run", cudaDeviceSynchronize())) return;
  const Clock::time_point allDone = Clock::now();
  if (failed("run", cudaGetLastError())) return;
  float event = 0;
  if (failed("event", cudaEventElapsedTime(&event, before[0], after[0]))) return;
  const double late = std::chrono::duration<double, std::milli>(allDone - streamDone).count();
  const double host = std::chrono::duration<double, std::milli>(allDone - start).count();
  answer("ran %.9g %.9g %.9g %d", (double)event, host, late, unjoined);
}

// Waits for a word that the keeper writes. On a GPU it gives way now and then: on a small machine the keeper needs the core.
// Where the CPU time of this process is what counts, waiting must not be part of it.
template <typename Condition>
void await(Condition holds) {
#ifdef __CUDACC__
  for (unsigned spins = 1; !holds(); ++spins)
    if (spins % 256 == 0) sched_yield();
#else
  while (!holds()) std::this_thread::sleep_for(std::chrono::microseconds(20));
#endif
}

// One call on each of `count` slots, one after the other, between two moments that the keeper sees; without calls what
// remains is the flushes and events. See control.h.
void batch(size_t count, bool call) {
  std::vector<Arguments> arguments;
  for (size_t i = 0; i < count; ++i) arguments.emplace_back(i);
  const uint64_t seen = request->go.load();
  answer("ok");
  await([&] { return request->go.load() != seen; });
  const uint64_t turn = request->go.load();
  bool good = true;
  for (size_t i = 0; i < count && good; ++i)
    if (call) good = enqueue(i, arguments[i]);
    else
      good = !(cold && flushBytes && failed("flush", cudaMemsetAsync(flush, (int)i, flushBytes, stream))) &&
             !failed("event", cudaEventRecord(before[i], stream)) && !failed("event", cudaEventRecord(after[i], stream));
  good = good && !failed("run", cudaDeviceSynchronize());
  reply->done = turn;
  if (good && call) {
    await([&] { return request->wanted.load() == turn; });
    const Request& r = *request;
    good = r.slot < count && r.buffer < buffers.size() && r.bytes <= pieceBytes && r.offset + r.bytes <= buffers[r.buffer].bytes;
    if (!good) answer("error run 0 range the piece asked for does not exist");
    else
      good = !failed("run", cudaMemcpy(reply->piece, buffers[r.buffer].devices[r.slot] + shifts[r.slot] + r.offset, r.bytes,
                                       cudaMemcpyDeviceToHost));
  }
  reply->fetched = turn;
  if (!good || failed("run", cudaGetLastError())) return;
  double total = 0;
  for (size_t i = 0; i < count && call; ++i) {
    float event = 0;
    if (failed("event", cudaEventElapsedTime(&event, before[i], after[i]))) return;
    total += event;
  }
  answer("ran %.9g %.9g %.9g %d", total, 0.0, 0.0, 0);
}

// Calls over and over, unchecked, for that many milliseconds: the device is as warm and as throttled as under steady use.
void heat(double milliseconds) {
  using Clock = std::chrono::steady_clock;
  Arguments arguments(0);
  const Clock::time_point start = Clock::now();
  while (std::chrono::duration<double, std::milli>(Clock::now() - start).count() < milliseconds) {
    for (int i = 0; i < 8; ++i)
      if (failed("launch", (cudaError_t)makeCall(0, arguments))) return;
    if (failed("run", cudaDeviceSynchronize())) return;
  }
  answer("ok");
}

// Results come back whole, and with `all` everything else does; else of the others only the fences.
void store(size_t slot, bool all) {
  for (const Buffer& b : buffers) {
    auto copy = [&](size_t from, size_t bytes) {
      return failed("store", cudaMemcpy(segmentOut + b.offset + from, b.devices[slot] + shifts[slot] + from, bytes,
                                        cudaMemcpyDeviceToHost));
    };
    if (all || b.result ? copy(0, b.bytes) : copy(0, fenceBytes) || copy(b.bytes - fenceBytes, fenceBytes)) return;
  }
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

int main(int argc, char** argv) {
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
  // The worker of another side runs as the same user: it reads and traces nothing here.
  prctl(PR_SET_DUMPABLE, 0);
#endif
  commands = fdopen(3, "r");
  answers = fdopen(4, "w");
  if (!commands || !answers) return 3;
  segmentIn = map<const char>(5, PROT_READ, &sizeIn);
  segmentOut = map<char>(6, PROT_READ | PROT_WRITE, &sizeOut);
  if (sizeIn < controlBytes || sizeOut < controlBytes) return 3;
  request = reinterpret_cast<const Request*>(segmentIn + sizeIn - controlBytes);
  reply = reinterpret_cast<Reply*>(segmentOut + sizeOut - controlBytes);

  // A kernel that is only loaded when it is first launched would be loaded within the time.
  if (argc > 1 && !std::strcmp(argv[1], "module")) setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  // The context takes a few hundred milliseconds: made now, while the candidate is still being compiled.
  int l2 = 0;
  if (failed("device", cudaFree(nullptr)) || failed("device", cudaStreamCreate(&stream)) ||
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
  // What the device can do at most, for the least time that work can take: memory clock (kHz), bus (bits), clock (kHz),
  // multiprocessors, L2 (bytes). Told before any candidate's code is loaded.
  int memoryClock = 0, bus = 0, clock = 0, multiprocessors = 0;
#ifdef __CUDACC__
  cudaDeviceGetAttribute(&memoryClock, cudaDevAttrMemoryClockRate, 0);
  cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, 0);
  cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  cudaGetLastError();
#endif
  answer("ready %d %d %d %d %d", memoryClock, bus, clock, multiprocessors, l2);

  char verb[16], path[4096];
  while (std::fscanf(commands, "%15s", verb) == 1) {
    int a;
    size_t m, n;
    double milliseconds;
    if (!std::strcmp(verb, "open") && std::fscanf(commands, "%d %4095[^\n]", &a, path) == 2) open(path, a);
    else if (!std::strcmp(verb, "module") && std::fscanf(commands, "%d %4095[^\n]", &a, path) == 2) module(path, a);
    else if (!std::strcmp(verb, "plan") && std::fscanf(commands, "%zu", &n) == 1) plan(n);
    else if (!std::strcmp(verb, "scenario") && std::fscanf(commands, "%d %zu %zu", &a, &m, &n) == 3) scenario(a, m, n);
    else if (!std::strcmp(verb, "slots") && std::fscanf(commands, "%zu", &n) == 1 && n > 0) slots(n);
    else if (!std::strcmp(verb, "load") && std::fscanf(commands, "%zu %zu %d", &n, &m, &a) == 3 && n < shifts.size())
      load(n, m, a != 0);
    else if (!std::strcmp(verb, "go")) go();
    else if (!std::strcmp(verb, "batch") && std::fscanf(commands, "%zu %d", &n, &a) == 2 && n <= shifts.size())
      batch(n, a != 0);
    else if (!std::strcmp(verb, "heat") && std::fscanf(commands, "%lf", &milliseconds) == 1) heat(milliseconds);
    else if (!std::strcmp(verb, "store") && std::fscanf(commands, "%zu %d", &n, &a) == 2 && n < shifts.size())
      store(n, a != 0);
    else break;
  }
  // No destructors and no atexit handlers of the candidate: nothing of its runs after its last call.
  _exit(0);
}
