// The keeper: owns seeds, inputs, poison, expected values and the comparison. It runs no candidate code and shares with
// the workers only the segments: one they can read (inputs and poison), one each that they write (results).
//
// fd 0: commands, one a line.  fd 1: answers.  fd 3: segment in.  fd 4 and up: one segment out for each worker, as many as the
// argument says.
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "keeper_random.h"
#include "keeper_types.h"

namespace {

constexpr size_t firstMismatches = 8;
constexpr size_t chunkSize = 1 << 16;  // elements that one thread takes at a time
constexpr size_t sampled = 1 << 16;    // elements behind a median

enum class Role { input, output, inout, workspace };

struct Buffer {
  size_t offset, bytes, fence;  // of the fenced region in the segments; fence bytes on each side
  size_t skip;                  // elements from the end of the front fence to the first one of the argument
  Dtype dtype;
  Role role;
  std::string fill;
  long long p1, p2;  // integers: low, high; offsets: total
  double rtol, atol;
  bool exact;
  std::vector<size_t> shape, strides;  // strides in elements

  size_t elements() const {
    size_t n = 1;
    for (size_t s : shape) n *= s;
    return n;
  }
  // Position, in elements from the end of the front fence, of element i in row-major order.
  size_t position(size_t i) const {
    size_t p = skip;
    for (size_t d = shape.size(); d-- > 0;) p += i % shape[d] * strides[d], i /= shape[d];
    return p;
  }
  bool contiguous() const {
    size_t expected = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      if (shape[d] != 1 && strides[d] != expected) return false;
      expected *= shape[d];
    }
    return true;
  }
  // Bytes of the region before which and from which on nothing belongs to the argument.
  size_t first() const { return fence + skip * sizeOf(dtype); }
  size_t end() const { return elements() ? fence + (position(elements() - 1) + 1) * sizeOf(dtype) : first(); }
  bool result() const { return role == Role::output || role == Role::inout; }
};

char* segmentIn;
std::vector<const char*> segmentOut;
size_t segmentSize;
std::vector<Buffer> buffers;
std::vector<std::vector<char>> expected;  // per buffer: the whole region as the baseline left it; empty for non-results
std::vector<uint64_t> inputHash;
uint64_t seed[2];
uint64_t drawn;

// Splits [0, n) into chunks of fixed size, so that results do not depend on the number of threads.
void parallel(size_t n, const std::function<void(size_t chunk, size_t begin, size_t end)>& body) {
  const size_t chunks = (n + chunkSize - 1) / chunkSize;
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t c; (c = next++) < chunks;) body(c, c * chunkSize, std::min(n, (c + 1) * chunkSize));
  };
  const size_t threads = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), chunks);
  std::vector<std::thread> pool;
  for (size_t i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& t : pool) t.join();
}

Random randomFor(size_t buffer, size_t chunk, uint64_t purpose) {
  return Random(seed[0] ^ mix(buffer * 4 + purpose), seed[1] ^ mix(drawn << 32 ^ chunk));
}

uint64_t hashRegion(const char* data, size_t bytes) {
  // Order-independent sum of mixed words: any single change shows, and chunks can be hashed in parallel.
  std::atomic<uint64_t> total{0};
  parallel(bytes / 8, [&](size_t, size_t begin, size_t end) {
    uint64_t sum = 0, word;
    for (size_t i = begin; i < end; ++i) std::memcpy(&word, data + i * 8, 8), sum += mix(word ^ i * 0x9e3779b97f4a7c15ull);
    total += sum;
  });
  return total;
}

bool sameBytes(const char* a, const char* b, size_t bytes) {
  std::atomic<bool> same{true};
  parallel(bytes, [&](size_t, size_t begin, size_t end) {
    if (std::memcmp(a + begin, b + begin, end - begin)) same = false;
  });
  return same;
}

// Random bits over [from, to) of a buffer's region, in words of 8 bytes.
void poisonWords(size_t index, size_t from, size_t to, uint64_t purpose) {
  char* region = segmentIn + buffers[index].offset;
  parallel(to - from, [&](size_t chunk, size_t begin, size_t end) {
    Random random = randomFor(index, chunk, purpose);
    for (size_t i = from + begin; i < from + end; ++i) {
      const uint64_t word = random.next();
      std::memcpy(region + i * 8, &word, 8);
    }
  });
}

// All of a region, or only what lies around the argument where a fill covers the rest. Around floating-point inputs lies
// NaN: a read out of bounds that takes part in the result shows.
void poison(size_t index, bool filled) {
  const Buffer& b = buffers[index];
  if (!filled) return poisonWords(index, 0, b.bytes / 8, 0);
  if (!b.contiguous()) poisonWords(index, b.fence / 8, (b.bytes - b.fence) / 8, 0);
  if (isReal(b.dtype)) {
    char* region = segmentIn + b.offset;
    std::memset(region, 0xff, b.first());
    std::memset(region + b.end(), 0xff, b.bytes - b.end());
  } else {
    poisonWords(index, 0, (b.first() + 7) / 8, 0);
    poisonWords(index, b.end() / 8, b.bytes / 8, 3);
  }
}

void fill(size_t index) {
  Buffer& b = buffers[index];
  char* base = segmentIn + b.offset + b.fence;
  const size_t n = b.elements();
  if (b.fill == "permutation" || b.fill == "offsets") {
    // Sequential by nature: a shuffle, and a sorted sample.
    Random random = randomFor(index, 0, 1);
    std::vector<long long> all(n);
    for (size_t i = 0; i < n; ++i) all[i] = b.fill == "offsets" ? (long long)random.below((uint64_t)b.p1 + 1) : (long long)i;
    if (b.fill == "offsets") {
      std::sort(all.begin(), all.end());
      if (n) all.front() = 0, all.back() = b.p1;
    } else {
      for (size_t i = n; i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
    }
    for (size_t i = 0; i < n; ++i) storeInteger(b.dtype, base, b.position(i), all[i]);
    return;
  }
  const bool contiguous = b.contiguous();
  parallel(n, [&](size_t chunk, size_t begin, size_t end) {
    Random random = randomFor(index, chunk, 1);
    for (size_t i = begin; i < end; ++i) {
      const size_t at = contiguous ? b.skip + i : b.position(i);
      if (b.fill == "normal") storeReal(b.dtype, base, at, random.normal());
      else if (b.fill == "uniform") storeReal(b.dtype, base, at, random.uniform());
      else if (b.fill == "integers") storeInteger(b.dtype, base, at, b.p1 + (long long)random.below((uint64_t)(b.p2 - b.p1) + 1));
      else if (b.fill == "range") storeInteger(b.dtype, base, at, (long long)i);
      else storeInteger(b.dtype, base, at, b.fill == "ones");
    }
  });
}

void draw(uint64_t number) {
  drawn = number;
  inputHash.assign(buffers.size(), 0);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    const bool filled = b.role == Role::input || b.role == Role::inout;
    poison(i, filled);
    if (filled) fill(i);
    if (b.role == Role::input) inputHash[i] = hashRegion(segmentIn + b.offset, b.bytes);
  }
}

// Moves every floating-point input element up or down by one unit in the last place, or leaves it.
void nudge(uint64_t number) {
  for (size_t index = 0; index < buffers.size(); ++index) {
    Buffer& b = buffers[index];
    if ((b.role != Role::input && b.role != Role::inout) || !isReal(b.dtype)) continue;
    char* base = segmentIn + b.offset + b.fence;
    parallel(b.elements(), [&](size_t chunk, size_t begin, size_t end) {
      Random random = randomFor(index, chunk, 2 + 4 * buffers.size() * number);
      for (size_t i = begin; i < end; ++i) nudgeElement(b.dtype, base, b.position(i), (int)random.below(3) - 1);
    });
    if (b.role == Role::input) inputHash[index] = hashRegion(segmentIn + b.offset, b.bytes);
  }
}

// What lies around results and workspaces must be as it was handed out, and so must inputs: `fence INDEX SIDE BYTES` tells how far from the
// argument the nearest damage is, 0 for the byte next to it.
void checkUntouched(const char* out, bool inputs) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    // Workspaces come back only together with the inputs.
    if (b.result() || (inputs && b.role == Role::workspace)) {
      const char *want = segmentIn + b.offset, *got = out + b.offset;
      size_t k = b.first();
      while (k > 0 && want[k - 1] == got[k - 1]) --k;
      if (k > 0) std::printf("fence %zu before %zu\n", i, b.first() - k);
      k = b.end();
      while (k < b.bytes && want[k] == got[k]) ++k;
      if (k < b.bytes) std::printf("fence %zu after %zu\n", i, k - b.end());
    }
    if (b.role != Role::input) continue;
    // A worker of the same user could open the segment again and write to it: what was handed out is checked every time.
    const bool handedOut = hashRegion(segmentIn + b.offset, b.bytes) == inputHash[i];
    if (!handedOut || (inputs && !sameBytes(segmentIn + b.offset, out + b.offset, b.bytes))) std::printf("input %zu\n", i);
  }
}

struct Tally {
  size_t mismatches = 0;
  size_t incomparable = 0;  // mismatches with a NaN or an infinity in them, which no distance measures
  double maxAbs = 0, maxRel = 0;
  std::vector<size_t> first;
};

// Without `gotBase` the expected values are compared with zeros.
Tally compareBuffer(const Buffer& b, const char* expectedBase, const char* gotBase) {
  const size_t n = b.elements();
  const bool contiguous = b.contiguous();
  std::vector<Tally> tallies((n + chunkSize - 1) / chunkSize);
  parallel(n, [&](size_t chunk, size_t begin, size_t end) {
    Tally& tally = tallies[chunk];
    // The same bits are the same value, NaN included; a deterministic kernel that is only arranged differently ends here.
    const size_t size = sizeOf(b.dtype), start = (b.skip + begin) * size;
    if (contiguous && gotBase && !std::memcmp(expectedBase + start, gotBase + start, (end - begin) * size)) return;
    for (size_t i = begin; i < end; ++i) {
      const size_t at = contiguous ? b.skip + i : b.position(i);
      bool same;
      if (!isReal(b.dtype)) {
        const Integer want = loadInteger(b.dtype, expectedBase, at), got = gotBase ? loadInteger(b.dtype, gotBase, at) : 0;
        same = want == got;
        if (!same) {
          const double difference = want > got ? (double)(want - got) : (double)(got - want);
          tally.maxAbs = std::max(tally.maxAbs, difference);
          if (want != 0) tally.maxRel = std::max(tally.maxRel, difference / std::fabs((double)want));
          same = !b.exact && difference <= b.atol + b.rtol * std::fabs((double)want);
        }
      } else {
        const double want = loadReal(b.dtype, expectedBase, at), got = gotBase ? loadReal(b.dtype, gotBase, at) : 0;
        if (std::isfinite(want) && std::isfinite(got)) {
          const double difference = std::fabs(got - want);
          tally.maxAbs = std::max(tally.maxAbs, difference);
          if (want != 0) tally.maxRel = std::max(tally.maxRel, difference / std::fabs(want));
          same = b.exact ? want == got : difference <= b.atol + b.rtol * std::fabs(want);
        } else {
          // NaN only where the reference has one; infinities only with their sign.
          same = std::isnan(want) ? std::isnan(got) : want == got;
          tally.incomparable += !same;
        }
      }
      if (!same) {
        ++tally.mismatches;
        if (tally.first.size() < firstMismatches) tally.first.push_back(i);
      }
    }
  });
  Tally all;
  for (const Tally& t : tallies) {
    all.mismatches += t.mismatches;
    all.incomparable += t.incomparable;
    all.maxAbs = std::max(all.maxAbs, t.maxAbs);
    all.maxRel = std::max(all.maxRel, t.maxRel);
    for (size_t i : t.first)
      if (all.first.size() < firstMismatches) all.first.push_back(i);
  }
  return all;
}

// What worker `which` left becomes the expectation.
void keep(size_t which) {
  expected.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].result()) {
      const char* region = segmentOut[which] + buffers[i].offset;
      expected[i].resize(buffers[i].bytes);
      parallel(buffers[i].bytes, [&](size_t, size_t begin, size_t end) {
        std::memcpy(expected[i].data() + begin, region + begin, end - begin);
      });
    }
}

// Compares what worker `which` left with the expected values.
void compare(size_t which, bool inputs) {
  const char* out = segmentOut[which];
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    if (!b.result() || expected[i].empty()) continue;
    const char *want = expected[i].data() + b.fence, *got = out + b.offset + b.fence;
    const Tally tally = compareBuffer(b, want, got);
    std::printf("output %zu %zu %zu %zu %.17g %.17g %zu", i, b.elements(), tally.mismatches, tally.incomparable, tally.maxAbs,
                tally.maxRel, tally.first.size());
    for (size_t e : tally.first) {
      std::printf(" %zu ", e);
      printElement(b.dtype, want, b.position(e));
      std::putchar(' ');
      printElement(b.dtype, got, b.position(e));
    }
    std::putchar('\n');
  }
  checkUntouched(out, inputs);
}

// `expected INDEX PASSES ALLZERO NANS MAXABS MEDIANABS`: would zeros pass, are all values zeros, how many are NaN, how large
// are the finite ones.
void describeExpected() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    if (!b.result() || expected[i].empty()) continue;
    const char* want = expected[i].data() + b.fence;
    const bool passes = compareBuffer(b, want, nullptr).mismatches == 0;
    const size_t n = b.elements(), step = std::max<size_t>(1, n / sampled);
    const bool contiguous = b.contiguous();
    auto magnitude = [&](size_t e) {
      const size_t at = contiguous ? b.skip + e : b.position(e);
      return std::fabs(isReal(b.dtype) ? loadReal(b.dtype, want, at) : (double)loadInteger(b.dtype, want, at));
    };
    std::vector<double> largest((n + chunkSize - 1) / chunkSize, 0), sample;
    std::atomic<size_t> nans{0};
    parallel(n, [&](size_t chunk, size_t begin, size_t end) {
      for (size_t e = begin; e < end; ++e) {
        const double v = magnitude(e);
        if (std::isfinite(v)) largest[chunk] = std::max(largest[chunk], v);
        else if (std::isnan(v)) ++nans;
      }
    });
    for (size_t e = 0; e < n; e += step)
      if (const double v = magnitude(e); std::isfinite(v)) sample.push_back(v);
    const double most = largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
    double median = 0;
    if (!sample.empty()) {
      std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
      median = sample[sample.size() / 2];
    }
    std::printf("expected %zu %d %d %zu %.17g %.17g\n", i, passes, most == 0, nans.load(), most, median);
  }
}

bool layout(size_t count) {
  buffers.clear();
  expected.clear();
  for (size_t i = 0; i < count; ++i) {
    Buffer b;
    char dtype[32], role[16], how[16];
    int exact;
    size_t rank;
    if (std::scanf("%zu %zu %zu %zu %31s %15s %15s %lld %lld %lf %lf %d %zu", &b.offset, &b.bytes, &b.fence, &b.skip, dtype, role,
                   how, &b.p1, &b.p2, &b.rtol, &b.atol, &exact, &rank) != 13)
      return false;
    b.exact = exact != 0;
    b.fill = how;
    const std::string r = role;
    b.role = r == "input" ? Role::input : r == "output" ? Role::output : r == "inout" ? Role::inout : Role::workspace;
    if (!dtypeNamed(dtype, &b.dtype) || rank > 16) return false;
    b.shape.resize(rank);
    b.strides.resize(rank);
    for (size_t d = 0; d < rank; ++d)
      if (std::scanf("%zu %zu", &b.shape[d], &b.strides[d]) != 2) return false;
    if (b.offset + b.bytes > segmentSize || b.bytes < 2 * b.fence || b.bytes % 8 != 0) return false;
    if (b.elements() && (b.position(b.elements() - 1) + 1) * sizeOf(b.dtype) > b.bytes - 2 * b.fence) return false;
    buffers.push_back(b);
  }
  return true;
}

void* map(int fd, int protection) {
  struct stat status;
  if (fstat(fd, &status) != 0) std::exit(3);
  segmentSize = (size_t)status.st_size;
  void* address = mmap(nullptr, segmentSize, protection, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) std::exit(3);
  return address;
}

}  // namespace

int main(int count, char** argument) {
#ifdef __linux__
  prctl(PR_SET_DUMPABLE, 0);  // no ptrace, no /proc/PID/mem for processes of the same user
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  segmentIn = static_cast<char*>(map(3, PROT_READ | PROT_WRITE));
  const int workers = count == 2 ? std::atoi(argument[1]) : 0;
  for (int i = 0; i < workers; ++i) segmentOut.push_back(static_cast<const char*>(map(4 + i, PROT_READ)));
  char verb[16];
  while (std::scanf("%15s", verb) == 1) {
    bool ok = true;
    unsigned long long a, b;
    int inputs;
    if (!std::strcmp(verb, "layout")) ok = std::scanf("%llu", &a) == 1 && layout(a);
    else if (!std::strcmp(verb, "seed") && std::scanf("%llx %llx", &a, &b) == 2) seed[0] = a, seed[1] = b;
    else if (!std::strcmp(verb, "draw") && std::scanf("%llu", &a) == 1) draw(a);
    else if (!std::strcmp(verb, "nudge") && std::scanf("%llu", &a) == 1) nudge(a);
    else if (!std::strcmp(verb, "keep")) (ok = std::scanf("%llu", &a) == 1 && a < segmentOut.size()) ? keep(a) : void();
    else if (!std::strcmp(verb, "compare") && std::scanf("%llu %d", &a, &inputs) == 2 && a < segmentOut.size())
      compare(a, inputs != 0);
    else if (!std::strcmp(verb, "describe")) describeExpected();
    else ok = false;
    std::puts(ok ? "end" : "bad");
    std::fflush(stdout);
    if (!ok) return 2;
  }
}
