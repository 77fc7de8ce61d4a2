// Counts operations by stream, and keeps for each stream and for the host what they come after: vector clocks.
#include "pending.h"

#include <algorithm>
#include <mutex>

#include "streams.h"

namespace ks {
namespace pending {

namespace {

struct Line {
  bool is_blocking, is_open;
  unsigned long long count;
  Before before;
};
constexpr unsigned long long legacy = 0;

std::mutex mutex;
std::map<unsigned long long, Line>& lines() {
  static auto* all = new std::map<unsigned long long, Line>{{legacy, {false, true, 0, {}}}};
  return *all;
}
Before& host() {
  static auto* before = new Before();
  return *before;
}

void merge(Before& into, const Before& other) {
  for (const auto& [stream, count] : other) {
    auto& known = into[stream];
    known = std::max(known, count);
  }
}

/** What a stream's next operation comes after; under the lock. */
Before next(unsigned long long stream) {
  Line& line = lines()[stream];
  Before before = line.before;
  if (line.count) before[stream] = line.count;
  merge(before, host());
  const auto behind = [&](unsigned long long number, const Line& other) {
    merge(before, other.before);
    if (other.count) merge(before, {{number, other.count}});
  };
  if (stream == legacy) {
    for (const auto& [number, other] : lines())
      if (other.is_blocking) behind(number, other);
  } else if (line.is_blocking) {
    behind(legacy, lines()[legacy]);
  }
  return before;
}

}  // namespace

unsigned long long open(bool is_blocking) {
  static unsigned long long streams = legacy;
  std::lock_guard<std::mutex> lock(mutex);
  lines()[++streams] = {is_blocking, true, 0, {}};
  return streams;
}

void close(unsigned long long stream) {
  std::lock_guard<std::mutex> lock(mutex);
  lines()[stream].is_open = false;
}

void work(cudaStream_t stream) {
  const unsigned long long number = number_of(stream);
  std::lock_guard<std::mutex> lock(mutex);
  Before before = next(number);
  Line& line = lines()[number];
  line.before = std::move(before);
  ++line.count;
}

Before moment(cudaStream_t stream) {
  const unsigned long long number = number_of(stream);
  std::lock_guard<std::mutex> lock(mutex);
  return next(number);
}

void wait(cudaStream_t stream, const Before& moment) {
  const unsigned long long number = number_of(stream);
  std::lock_guard<std::mutex> lock(mutex);
  merge(lines()[number].before, moment);
}

void host_waits(const Before& moment) {
  std::lock_guard<std::mutex> lock(mutex);
  merge(host(), moment);
}

void host_waits_for_all() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto at = lines().begin(); at != lines().end();) {
    auto& [number, line] = *at;
    line.before.clear();
    if (line.is_open) host()[number] = line.count;
    else host().erase(number);
    at = line.is_open ? std::next(at) : lines().erase(at);
  }
}

}  // namespace pending
}  // namespace ks

bool ks_unjoined(cudaStream_t stream) {
  using namespace ks::pending;
  const Before done = moment(stream);
  bool more = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [number, line] : lines()) {
      const auto known = done.find(number);
      more = more || line.count > (known == done.end() ? 0 : known->second);
    }
  }
  host_waits_for_all();
  return more;
}
