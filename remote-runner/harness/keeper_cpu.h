// CPU time of other processes by their own clocks, to the nanosecond, with that of threads that have ended.
#pragma once
#include <cstddef>
#include <cstdio>
#include <ctime>

// Reads `count` numbers of processes; `cpu NANOSECONDS`, of all together: those that are gone count as nothing.
inline bool printCpuTime(size_t count) {
  long long nanoseconds = 0;
  for (size_t i = 0; i < count; ++i) {
    int pid;
    if (std::scanf("%d", &pid) != 1) return false;
#ifdef __linux__
    clockid_t clock;
    timespec time;
    if (clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &time) == 0)
      nanoseconds += time.tv_sec * 1000000000LL + time.tv_nsec;
#endif
  }
  std::printf("cpu %lld\n", nanoseconds);
  return true;
}
