// Whether anybody is left who could end a wait.
#include "polling.h"

#include <algorithm>
#include <ctime>
#include <mutex>
#include <vector>

namespace ks {
namespace {

// One look around takes this long; a wait is given up after so many without a change.
constexpr long long interval_ms = 300;
constexpr unsigned patience = 3;

std::mutex everybody;
std::vector<Poller*>& pollers() {
  static auto* list = new std::vector<Poller*>();
  return *list;
}

long long now_ms() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

}  // namespace

Poller::Poller() {
  std::lock_guard<std::mutex> lock(everybody);
  pollers().push_back(this);
}
Poller::~Poller() {
  std::lock_guard<std::mutex> lock(everybody);
  pollers().erase(std::find(pollers().begin(), pollers().end(), this));
}

/** The same OS threads are busy, each has turned in its loop, and none has done anything else. */
bool Poller::unchanged(const Look* before, unsigned long n, const Look* now, unsigned long m) {
  if (n != m) return false;
  for (unsigned long i = 0; i < n; ++i) {
    if (before[i].poller != now[i].poller || before[i].events != now[i].events || before[i].turns == now[i].turns)
      return false;
  }
  return true;
}

bool Poller::is_stuck() {
  shown_events_.store(events, std::memory_order_relaxed);
  turns_.fetch_add(1, std::memory_order_relaxed);
  const long long now = now_ms();
  if (now - looked_at_ < interval_ms) return false;
  looked_at_ = now;
  Look looks[32];
  unsigned long n = 0;
  {
    std::lock_guard<std::mutex> lock(everybody);
    for (const Poller* p : pollers()) {
      if (p->is_busy_.load(std::memory_order_relaxed) && n < 32)
        looks[n++] = {p, p->shown_events_.load(std::memory_order_relaxed), p->turns_.load(std::memory_order_relaxed)};
    }
  }
  quiet_ = unchanged(last_, seen_, looks, n) ? quiet_ + 1 : 0;
  std::copy(looks, looks + n, last_);
  seen_ = n;
  return quiet_ >= patience;
}

}  // namespace ks
