// A candidate for the task of test/faults that computes what it should and looks around while it does: what it can read,
// see, reach and leave behind. The tests fill in SECRET (a file outside of the job), PORT (a server of the host) and NAME
// (what the process that tries to survive calls itself).
#include <arpa/inet.h>
#include <cuda_runtime.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

__global__ void affine_kernel(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + 1.f;
}

static void tell(const char* what, const char* value) { printf("probe %s=%s\n", what, value); }
static void tellNumber(const char* what, long value) { printf("probe %s=%ld\n", what, value); }

// The first line of a file, which must not be there to be read.
static void readable(const char* what, const char* path) {
  char line[128] = "";
  FILE* file = fopen(path, "r");
  if (file && fgets(line, sizeof line, file)) line[strcspn(line, "\n")] = 0;
  tell(what, file ? line : "no");
  if (file) fclose(file);
}

static void processes() {
  long others = 0, environments = 0;
  DIR* folder = opendir("/proc");
  for (struct dirent* entry; folder && (entry = readdir(folder));) {
    int pid = atoi(entry->d_name);
    if (pid <= 1 || pid == getpid()) continue;
    ++others;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", pid);
    FILE* file = fopen(path, "r");
    if (file && fgetc(file) != EOF) ++environments;
    if (file) fclose(file);
  }
  if (folder) closedir(folder);
  tellNumber("processes", others);
  tellNumber("environments", environments);
}

static void network() {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(PORT);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int connected = fd >= 0 && connect(fd, (struct sockaddr*)&address, sizeof address) == 0;
  tell("network", connected ? "connected" : "no");
  if (fd >= 0) close(fd);
}

static void writable(const char* what, const char* path) {
  FILE* file = fopen(path, "a");
  tell(what, file ? "yes" : "no");
  if (file) fclose(file);
}

static void limits() {
  struct rlimit limit;
  getrlimit(RLIMIT_CORE, &limit);
  tellNumber("core", (long)limit.rlim_max);
  getrlimit(RLIMIT_FSIZE, &limit);
  tell("fsize", limit.rlim_max == RLIM_INFINITY ? "unlimited" : "limited");
  getrlimit(RLIMIT_NPROC, &limit);
  tell("nproc", limit.rlim_max == RLIM_INFINITY ? "unlimited" : "limited");
}

// Out of the group, out of the session, no descriptor left: as far away as a process gets.
static void survive() {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  for (int fd = 0; fd < 1024; ++fd) close(fd);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  prctl(PR_SET_NAME, NAME, 0, 0, 0);
  for (;;) sleep(1000);
}

static void lookAround() {
  readable("secret", SECRET);
  readable("passwd", "/etc/passwd");
  processes();
  network();
  tell("root", geteuid() == 0 ? "yes" : "no");
  writable("usr", "/usr/lib/kernelseek-probe");
  limits();
  survive();
  fflush(stdout);
  // Only what a candidate that fails has printed is told.
  abort();
}

extern "C" void affine(const float* x, float* y, float a, int n, cudaStream_t stream) {
  static int calls;
  if (calls++ == 0) lookAround();
  affine_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, n);
}
