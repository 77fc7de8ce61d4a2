// Tells a wait that will end from one that cannot: every OS thread that runs blocks is waiting in such a loop, none of them for the
// first time, and nothing else has happened in any of their blocks for a while.
#pragma once
#include <atomic>

namespace ks {

/** What one OS thread that runs blocks shows to the others. */
class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /** Counts what threads of its block do besides turning in a loop; for its own OS thread only. */
  unsigned long long events = 0;

  void begin() { is_busy_.store(true, std::memory_order_relaxed); }
  void end() { is_busy_.store(false, std::memory_order_relaxed); }
  /** Called at every look around from within a loop; true once nobody can end it. */
  bool is_stuck();

 private:
  struct Look {
    const Poller* poller;
    unsigned long long events, turns;
  };
  static bool unchanged(const Look* before, unsigned long n, const Look* now, unsigned long m);

  std::atomic<bool> is_busy_{false};
  std::atomic<unsigned long long> shown_events_{0}, turns_{0};
  long long looked_at_ = 0;
  unsigned quiet_ = 0;
  Look last_[32];
  unsigned long seen_ = 0;
};

}  // namespace ks
