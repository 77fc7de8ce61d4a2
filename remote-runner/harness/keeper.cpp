// The keeper: owns seeds, inputs, poison, expected values and the comparison. It runs no candidate code and shares with
// the workers only the segments: one they can read (inputs and poison), one each that they write (results).
//
// fd 0: commands, one a line.  fd 1: answers.  fd 3: segment in.  fd 4 and up: one segment out for each worker, as many as the
// first argument says, and with `checked` as the second one more, for expected values.
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "keeper_clock.h"
#include "keeper_cpu.h"
#include "keeper_describe.h"
#include "keeper_device.h"
#include "keeper_fingerprint.h"
#include "keeper_inputs.h"
#include "keeper_layout.h"
#include "keeper_parallel.h"
#include "keeper_set.h"
#include "keeper_state.h"
#include "keeper_untouched.h"

namespace {

State state;
KeeperClock keeperClock;
DeviceWatch deviceWatch;

// What worker `which` left becomes the expectation.
void keep(size_t which) {
  for (size_t i = 0; i < state.buffers.size(); ++i)
    if (state.buffers[i].result()) {
      const char* region = state.segmentOut[which] + state.buffers[i].offset;
      char* kept = state.expected + state.buffers[i].offset;
      parallel(state.buffers[i].bytes,
               [&](size_t, size_t begin, size_t end) { std::memcpy(kept + begin, region + begin, end - begin); });
      state.kept[i] = true;
    }
}

// Compares what worker `which` left with the expected values.
void compare(size_t which, bool inputs) {
  const char* out = state.segmentOut[which];
  for (size_t i = 0; i < state.buffers.size(); ++i) {
    const Buffer& b = state.buffers[i];
    if (!state.kept[i]) continue;
    const char *want = state.expected + b.offset + b.fence, *got = out + b.offset + b.fence;
    const Tally tally = compareBuffer(b, want, got);
    std::printf("output %zu %zu %zu %zu %.17g %.17g %.17g %zu", i, b.elements(), tally.mismatches, tally.incomparable,
                tally.maxAbs, tally.maxRel, tally.worst, tally.first.size());
    for (const Tally::Pair& p : tally.first) {
      std::printf(" %zu ", p.want);
      printElement(b.dtype, want, b.position(p.want));
      std::putchar(' ');
      printElement(b.dtype, got, b.position(p.got));
    }
    std::putchar('\n');
  }
  checkUntouched(state, out, inputs);
}

void* map(int fd, int protection) {
  struct stat status;
  if (fstat(fd, &status) != 0) std::exit(3);
  if ((size_t)status.st_size < controlBytes) std::exit(3);
  state.segmentSize = (size_t)status.st_size - controlBytes;
  void* address = mmap(nullptr, (size_t)status.st_size, protection, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) std::exit(3);
  return address;
}

}  // namespace

int main(int count, char** argument) {
#ifdef __linux__
  prctl(PR_SET_DUMPABLE, 0);  // no ptrace, no /proc/PID/mem for processes of the same user
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  state.segmentIn = static_cast<char*>(map(3, PROT_READ | PROT_WRITE));
  const int workers = count >= 2 ? std::atoi(argument[1]) : 0;
  for (int i = 0; i < workers; ++i) state.segmentOut.push_back(static_cast<const char*>(map(4 + i, PROT_READ)));
  // Shared with checker programs where there are some, else nobody's but ours.
  const bool shared = count == 3 && !std::strcmp(argument[2], "checked");
  state.expected = static_cast<char*>(shared ? map(4 + workers, PROT_READ | PROT_WRITE)
                                             : mmap(nullptr, state.segmentSize + controlBytes, PROT_READ | PROT_WRITE,
                                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (state.expected == MAP_FAILED) return 3;
  char verb[16], name[128], path[4096];
  while (std::scanf("%15s", verb) == 1) {
    bool ok = true;
    unsigned long long a, b;
    double limit;
    int inputs;
    if (!std::strcmp(verb, "layout")) ok = std::scanf("%llu", &a) == 1 && readLayout(state, a);
    else if (!std::strcmp(verb, "seed") && std::scanf("%llx %llx", &a, &b) == 2) state.seed[0] = a, state.seed[1] = b;
    else if (!std::strcmp(verb, "draw") && std::scanf("%llu", &a) == 1) draw(state, a);
    else if (!std::strcmp(verb, "nudge") && std::scanf("%llu", &a) == 1) nudge(state, a);
    else if (!std::strcmp(verb, "keep")) (ok = std::scanf("%llu", &a) == 1 && a < state.segmentOut.size()) ? keep(a) : void();
    else if (!std::strcmp(verb, "compare") && std::scanf("%llu %d", &a, &inputs) == 2 && a < state.segmentOut.size())
      compare(a, inputs != 0);
    else if (!std::strcmp(verb, "file") && std::scanf("%llu %4095[^\n]", &a, path) == 2 && a < state.buffers.size())
      ok = readContents(state.buffers[a], path);
    else if (!std::strcmp(verb, "redraw") && std::scanf("%llu %llu", &a, &b) == 2 && a < state.buffers.size())
      redraw(state, a, b);
    else if (!std::strcmp(verb, "vary") && std::scanf("%llu", &a) == 1) varyOnes(state, a);
    else if (!std::strcmp(verb, "repoison") && std::scanf("%llu", &a) == 1) repoison(state, a);
    else if (!std::strcmp(verb, "fingerprint") && std::scanf("%llu", &a) == 1 && a < state.segmentOut.size())
      printFingerprints(state, state.segmentOut[a]);
    else if (!std::strcmp(verb, "describe")) describeExpected(state);
    else if (!std::strcmp(verb, "clock") && std::scanf("%llu %llu %lf", &a, &b, &limit) == 3 && a < state.segmentOut.size())
      keeperClock.turn(state, a, b, limit);
    else if (!std::strcmp(verb, "piece") && std::scanf("%llu", &a) == 1 && a < state.segmentOut.size())
      keeperClock.checkPiece(state, a);
    else if (!std::strcmp(verb, "cpu") && std::scanf("%llu", &a) == 1) ok = printCpuTime(a);
    else if (!std::strcmp(verb, "watch") && std::scanf("%127s", name) == 1) deviceWatch.open(name);
    else if (!std::strcmp(verb, "device")) deviceWatch.print();
    else ok = false;
    std::puts(ok ? "end" : "bad");
    std::fflush(stdout);
    if (!ok) return 2;
  }
}
