// What the parts of the launcher share: how it gives up, and which descriptors stay open.
#pragma once
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

// One line on standard error and exit status 125, from whichever of the processes.
[[noreturn]] inline void die(const char* what, const char* which, int error) {
  dprintf(2, "kernelseek-launcher: %s%s%s%s%s\n", what, *which ? " " : "", which, error ? ": " : "",
          error ? strerror(error) : "");
  _exit(125);
}

// Closes [first, last] where the kernel can do it at once (5.9), else one by one.
inline void closeRange(unsigned first, unsigned last) {
  if (first > last) return;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
  const long most = sysconf(_SC_OPEN_MAX);
  for (unsigned fd = first; fd <= last && (long)fd < most; ++fd) close((int)fd);
}

inline void closeFrom(int first) { closeRange((unsigned)first, ~0u); }

// All from `first` on but these, which need not be open: -1 stands for none.
inline void closeAllBut(int first, std::initializer_list<int> kept) {
  for (;;) {
    int next = -1;
    for (const int fd : kept)
      if (fd >= first && (next < 0 || fd < next)) next = fd;
    if (next < 0) return closeFrom(first);
    closeRange((unsigned)first, (unsigned)next - 1);
    first = next + 1;
  }
}

// `holds WORD…`: what a program started like this one is kept from, seen from inside. Ends the process.
[[noreturn]] inline void tellWhatHolds() {
  int others = 0;
  if (DIR* folder = opendir("/proc")) {
    while (const dirent* entry = readdir(folder)) {
      const int pid = atoi(entry->d_name);
      if (pid > 1 && pid != getpid()) ++others;
    }
    closedir(folder);
  } else {
    others = 1;
  }
  // The loopback device is there in every network namespace; a fresh one has nothing else.
  int devices = 0;
  if (FILE* file = fopen("/proc/net/dev", "r")) {
    char line[512];
    while (fgets(line, sizeof line, file))
      if (strchr(line, ':') && !strstr(line, "lo:")) ++devices;
    fclose(file);
  }
  unsigned long long capabilities = ~0ull;
  int noNew = 0;
  if (FILE* file = fopen("/proc/self/status", "r")) {
    char line[512];
    while (fgets(line, sizeof line, file)) {
      sscanf(line, "CapEff: %llx", &capabilities);
      sscanf(line, "NoNewPrivs: %d", &noNew);
    }
    fclose(file);
  }
  const bool isFiles = access("/etc/passwd", F_OK) != 0 && access("/var", F_OK) != 0;
  dprintf(1, "holds%s%s%s%s\n", isFiles ? " files" : "", others == 0 ? " processes" : "",
          devices == 0 ? " network" : "", capabilities == 0 && noNew && geteuid() != 0 ? " privileges" : "");
  _exit(0);
}
