// Starts a program that nobody trusts (a compiler on hostile sources, a candidate's process) with as little as it needs.
//
//   launcher OPTIONS -- PROGRAM ARGUMENTS
//     --namespaces LIST   of user, mount, pid, net, ipc, uts, cgroup, joined by commas
//     --read PATH         visible at its own place, read-only; a symbolic link as such; what is not there is left out
//     --write PATH        visible and writable, and given to the user that the program runs as
//     --device PATH       a device node, or a folder of them
//     --tmp BYTES         size of a /tmp of its own
//     --limit NAME=N      data (bytes), nproc, nofile, fsize (bytes), cpu (seconds)
//     --keep-user         root stays root, for programs that become another user themselves
//     --in-place          no supervisor: becomes the program itself, where something else looks after its processes
//     --fds N             descriptors from N on are closed
//     --turns FD          a socket: for each `h` that comes all of the program's processes are stopped, for each `g` they go on;
//                         the byte comes back when that is done
//     --lead-by-status    PROGRAM tells a signal S of its child as exit status 128 + S, as shells do: undone here
//     --self-test         instead of a program: tells what holds in here
//
// Three processes: the launcher waits outside and ends as the program ends, by exit code or by signal; the supervisor is
// process 1 of the new namespace, with which everything in there dies, or collects what the program leaves behind where
// there is no such namespace; the program. Each dies with its parent, so all die with the runner, whatever kills it.
// What cannot be done as asked is an error (exit status 125, said on standard error): nothing is silently left out.
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "launcher.h"
#include "launcher_mounts.h"

namespace {

struct Namespace {
  const char* name;
  int flag;
};
constexpr Namespace namespaces[] = {
    {"user", CLONE_NEWUSER}, {"mount", CLONE_NEWNS}, {"pid", CLONE_NEWPID},       {"net", CLONE_NEWNET},
    {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS},  {"cgroup", CLONE_NEWCGROUP},
};

struct Limit {
  const char* name;
  int resource;
};
constexpr Limit limits[] = {
    {"data", RLIMIT_DATA},   {"nproc", RLIMIT_NPROC}, {"nofile", RLIMIT_NOFILE},
    {"fsize", RLIMIT_FSIZE}, {"cpu", RLIMIT_CPU},
};

constexpr uid_t nobody = 65534;

int spaces;  // CLONE_NEW*
int firstClosed = 3;
bool leadByStatus;
bool selfTest;
bool keepUser;
bool inPlace;
int turns = -1;
rlim_t chosen[sizeof limits / sizeof *limits];
bool isChosen[sizeof limits / sizeof *limits];
View view;
char** program;
char cwd[4096];
uid_t user;  // the program's, as it is called out here
gid_t groupOfUser;

int spacesOf(char* list) {
  int flags = 0;
  for (char* name = strtok(list, ","); name; name = strtok(nullptr, ",")) {
    int flag = 0;
    for (const Namespace& n : namespaces)
      if (!strcmp(n.name, name)) flag = n.flag;
    if (!flag) die("unknown namespace", name, 0);
    flags |= flag;
  }
  return flags;
}

void limitOf(char* text) {
  char* equals = strchr(text, '=');
  if (!equals) die("not NAME=N", text, 0);
  *equals = '\0';
  for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
    if (!strcmp(limits[i].name, text)) {
      chosen[i] = strtoull(equals + 1, nullptr, 10);
      isChosen[i] = true;
      return;
    }
  die("unknown limit", text, 0);
}

void parse(int count, char** arguments) {
  int i = 1;
  for (; i < count && strcmp(arguments[i], "--") != 0; ++i) {
    const char* option = arguments[i];
    if (!strcmp(option, "--self-test")) {
      selfTest = true;
      continue;
    }
    if (!strcmp(option, "--in-place")) {
      inPlace = true;
      continue;
    }
    if (!strcmp(option, "--keep-user")) {
      keepUser = true;
      continue;
    }
    if (!strcmp(option, "--lead-by-status")) {
      leadByStatus = true;
      continue;
    }
    if (++i >= count) die("needs a value", option, 0);
    char* value = arguments[i];
    if (!strcmp(option, "--namespaces")) spaces = spacesOf(value);
    else if (!strcmp(option, "--read")) view.add(View::Read, value);
    else if (!strcmp(option, "--write")) view.add(View::Write, value);
    else if (!strcmp(option, "--device")) view.add(View::Device, value);
    else if (!strcmp(option, "--tmp")) view.tmpBytes = strtoull(value, nullptr, 10);
    else if (!strcmp(option, "--limit")) limitOf(value);
    else if (!strcmp(option, "--fds")) firstClosed = atoi(value);
    else if (!strcmp(option, "--turns")) turns = atoi(value);
    else die("unknown option", option, 0);
  }
  program = i < count ? arguments + i + 1 : nullptr;
  if (!selfTest && (!program || !*program)) die("no program", "", 0);
}

// Is this id one of those that this user namespace knows?
bool isMapped(const char* map, unsigned long id) {
  FILE* file = fopen(map, "r");
  if (!file) return false;
  unsigned long inside, outside, length;
  bool found = false;
  while (fscanf(file, "%lu %lu %lu", &inside, &outside, &length) == 3)
    found = found || (id >= inside && id - inside < length);
  fclose(file);
  return found;
}

// Root becomes a user of this launch alone: limits are counted for each user, and no other evaluation is in reach of its
// signals. In a container that has few ids it becomes nobody.
void chooseUser() {
  user = geteuid();
  groupOfUser = getegid();
  if (user != 0 || keepUser || leadByStatus || (spaces & CLONE_NEWUSER)) return;
  const unsigned long own = 0x6b000000ul + ((unsigned long)getpid() & 0xfffffful);
  const bool hasOwn = isMapped("/proc/self/uid_map", own) && isMapped("/proc/self/gid_map", own);
  user = groupOfUser = hasOwn ? (uid_t)own : nobody;
}

int giveToUser(const char* path, const struct stat*, int, FTW*) { return lchown(path, user, groupOfUser); }

void giveFolders() {
  if (geteuid() != 0 || user == 0) return;
  for (size_t i = 0; i < view.count; ++i)
    if (view.entries[i].kind == View::Write && nftw(view.entries[i].path, giveToUser, 16, FTW_PHYS) != 0)
      die("cannot give away", view.entries[i].path, errno);
}

void writeFile(const char* path, const char* text, bool mustSucceed = true) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  const bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
  if (!written && mustSucceed) die("cannot write", path, errno);
  if (fd >= 0) close(fd);
}

void mapUser() {
  char line[64];
  writeFile("/proc/self/setgroups", "deny", false);
  snprintf(line, sizeof line, "%u %u 1\n", nobody, user);
  writeFile("/proc/self/uid_map", line);
  snprintf(line, sizeof line, "%u %u 1\n", nobody, groupOfUser);
  writeFile("/proc/self/gid_map", line);
}

void dieWith(int signal) {
  if (prctl(PR_SET_PDEATHSIG, signal) != 0) die("prctl", "PR_SET_PDEATHSIG", errno);
}

void limit(int resource, rlim_t value, const char* name) {
  rlimit now{};
  getrlimit(resource, &now);
  if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) value = now.rlim_max;
  now.rlim_cur = now.rlim_max = value;
  if (setrlimit(resource, &now) != 0) die("setrlimit", name, errno);
}

void dropPrivileges() {
  // What makes the namespaces in our stead may need its rights, and takes them from what it starts.
  if (leadByStatus) return;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) die("prctl", "PR_SET_NO_NEW_PRIVS", errno);
  if (keepUser) return;
  if (geteuid() == 0 && !(spaces & CLONE_NEWUSER) &&
      (setgroups(0, nullptr) != 0 || setresgid(groupOfUser, groupOfUser, groupOfUser) != 0 ||
       setresuid(user, user, user) != 0))
    die("cannot become another user", "", errno);
  // Version 3 of the interface: two sets of 32, all of them empty.
  struct {
    unsigned version;
    int pid;
  } header{0x20080522, 0};
  const unsigned none[6] = {};
  if (syscall(SYS_capset, &header, none) != 0) die("cannot drop capabilities", "", errno);
}

[[noreturn]] void becomeProgram() {
  writeFile("/proc/self/oom_score_adj", "1000", false);
  limit(RLIMIT_CORE, 0, "core");
  for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
    if (isChosen[i]) limit(limits[i].resource, chosen[i], limits[i].name);
  dropPrivileges();
  // After the change of user, which clears it.
  dieWith(SIGKILL);
  closeFrom(firstClosed);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (selfTest) tellWhatHolds();
  execvp(program[0], program);
  die("cannot start", program[0], errno);
}

// ── without a PID namespace: what the program leaves behind is collected by hand ──────────────────────────────────────

constexpr int mostSeen = 1 << 16;
int seenPid[mostSeen], seenParent[mostSeen];
bool seenStopped[mostSeen], isBelow[mostSeen];

// All processes of this machine with their parents. Returns how many.
int look() {
  DIR* folder = opendir("/proc");
  if (!folder) return 0;
  int count = 0;
  while (const dirent* entry = readdir(folder)) {
    const int pid = atoi(entry->d_name);
    if (pid <= 0 || count == mostSeen) continue;
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    const ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) continue;
    text[length] = '\0';
    // The name before the last bracket is the process's to choose.
    const char* behind = strrchr(text, ')');
    char state;
    if (!behind || sscanf(behind + 1, " %c %d", &state, &seenParent[count]) != 2) continue;
    seenStopped[count] = state == 'T' || state == 'Z';
    isBelow[count] = false;
    seenPid[count++] = pid;
  }
  closedir(folder);
  return count;
}

// Sends a signal to all below us: children, theirs, and those whose parents died, which have become ours
// (PR_SET_CHILD_SUBREAPER). Returns how many of them still ran.
int signalBelow(int signal) {
  const int count = look(), self = getpid();
  int running = 0;
  for (bool isMore = true; isMore;) {
    isMore = false;
    for (int i = 0; i < count; ++i) {
      if (isBelow[i]) continue;
      bool below = seenParent[i] == self;
      for (int k = 0; k < count && !below; ++k) below = isBelow[k] && seenPid[k] == seenParent[i];
      if (!below) continue;
      isBelow[i] = isMore = true;
      if (!seenStopped[i]) ++running;
      kill(seenPid[i], signal);
    }
  }
  return running;
}

// Stopped first, until none is left that could start another; then killed.
void killChildren() {
  for (int round = 0; round < 200 && signalBelow(SIGSTOP) > 0; ++round) {}
  signalBelow(SIGKILL);
}

// Stops everything that the program has started, or lets it go on. In a PID namespace that is one call, which no process
// there escapes by starting another.
void signalAll(int signal) {
  if (spaces & CLONE_NEWPID) {
    kill(-1, signal);
    return;
  }
  for (int round = 0; round < 200 && signalBelow(signal) > 0 && signal == SIGSTOP; ++round) {}
}

// Does what the socket asks for. False when nobody is there any more.
bool serveTurn() {
  char what;
  const ssize_t got = read(turns, &what, 1);
  if (got < 0 && errno == EINTR) return true;
  if (got != 1 || (what != 'h' && what != 'g')) return false;
  signalAll(what == 'h' ? SIGSTOP : SIGCONT);
  return write(turns, &what, 1) == 1;
}

// Whatever runs as the user of this launch alone.
void killUser() {
  const pid_t child = fork();
  if (child == 0) {
    if (setresuid(user, user, user) == 0) kill(-1, SIGKILL);
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

void endAll() {
  for (int round = 0; round < 1000; ++round) {
    if (geteuid() == 0 && user != 0 && user != nobody) killUser();
    killChildren();
    pid_t gone;
    while ((gone = waitpid(-1, nullptr, WNOHANG)) > 0) {}
    if (gone < 0 && errno == ECHILD) return;
    usleep(1000);
  }
}

// ── the processes ────────────────────────────────────────────────────────────────────────────────────────────────────

// @param alive closes when the launcher dies  @param status where the program's end is told
[[noreturn]] void supervise(int alive, int status) {
  const bool hasPidSpace = spaces & CLONE_NEWPID;
  if (spaces & CLONE_NEWUSER) mapUser();
  if (!hasPidSpace) {
    // Out of the launcher's process group: whoever kills that must not kill the one who tidies up.
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  sigprocmask(SIG_BLOCK, &awaited, nullptr);
  dieWith(hasPidSpace ? SIGKILL : SIGTERM);
  pollfd launcher{alive, 0, 0};
  if (poll(&launcher, 1, 0) > 0) _exit(125);  // It died before that.
  if (spaces & CLONE_NEWUTS) sethostname("sandbox", 7);
  if (spaces & CLONE_NEWNS) view.enter(hasPidSpace);
  // In a view of its own the folder may be missing: the program then starts at the root.
  if (chdir(cwd) != 0 && chdir("/") != 0) die("chdir", cwd, errno);

  const pid_t main = fork();
  if (main < 0) die("fork", "", errno);
  if (main == 0) becomeProgram();
  const int signals = signalfd(-1, &awaited, SFD_CLOEXEC);
  if (signals < 0) die("signalfd", "", errno);
  closeAllBut(3, {status, alive, turns, signals});
  for (;;) {
    pollfd events[2] = {{signals, POLLIN, 0}, {turns, POLLIN, 0}};
    if (poll(events, 2, -1) < 0) continue;
    // A program that ends while it is stopped, or is to be, is no less ended.
    if (events[1].revents && !serveTurn()) turns = -1;
    if (!events[0].revents) continue;
    signalfd_siginfo signal;
    if (read(signals, &signal, sizeof signal) != sizeof signal) continue;
    if (signal.ssi_signo == SIGTERM && !hasPidSpace) {
      kill(main, SIGKILL);
      endAll();
      _exit(0);
    }
    int how;
    pid_t gone;
    while ((gone = waitpid(-1, &how, WNOHANG)) > 0) {
      if (gone != main) continue;
      if (!hasPidSpace) endAll();
      if (write(status, &how, sizeof how) != sizeof how) _exit(125);
      _exit(0);
    }
  }
}

[[noreturn]] void endAs(int how) {
  const int byStatus = leadByStatus && WIFEXITED(how) && WEXITSTATUS(how) > 128 ? WEXITSTATUS(how) - 128 : 0;
  const int signal = WIFSIGNALED(how) ? WTERMSIG(how) : byStatus;
  if (signal) {
    limit(RLIMIT_CORE, 0, "core");
    ::signal(signal, SIG_DFL);
    kill(getpid(), signal);
  }
  _exit(WIFEXITED(how) ? WEXITSTATUS(how) : 125);
}

}  // namespace

int main(int count, char** arguments) {
  const pid_t parent = getppid();
  dieWith(SIGKILL);
  if (getppid() != parent) return 125;
  parse(count, arguments);
  if (!getcwd(cwd, sizeof cwd)) strcpy(cwd, "/");
  view.resolve();
  chooseUser();
  giveFolders();

  if (inPlace) becomeProgram();

  int alive[2], status[2];
  if (pipe2(alive, O_CLOEXEC) != 0 || pipe2(status, O_CLOEXEC) != 0) die("pipe", "", errno);
  // Out of the way of the descriptors that the program is given.
  for (int* end : {&alive[0], &alive[1], &status[0], &status[1], &turns}) {
    if (*end < 0) continue;
    const int moved = fcntl(*end, F_DUPFD_CLOEXEC, 64);
    if (moved < 0) die("fcntl", "", errno);
    close(*end);
    *end = moved;
  }
  const pid_t supervisor = (pid_t)syscall(SYS_clone, spaces | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (supervisor < 0) die("cannot make the namespaces", "", errno);
  if (supervisor == 0) {
    close(alive[1]);
    close(status[0]);
    supervise(alive[0], status[1]);
  }
  close(alive[0]);
  close(status[1]);
  closeAllBut(3, {status[0], alive[1]});
  int how;
  const bool told = read(status[0], &how, sizeof how) == sizeof how;
  int ended = 0;
  while (waitpid(supervisor, &ended, 0) < 0 && errno == EINTR) {}
  endAs(told ? how : ended);
}
