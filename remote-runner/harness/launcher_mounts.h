// The file system that an untrusted program sees: a fresh one in memory, with what it was given at the places it is used to.
#pragma once
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "launcher.h"

class View {
 public:
  enum Kind { Read, Write, Device };
  struct Entry {
    Kind kind;
    const char* path;
    char* source;  // the real place; null where `link` is not, or where nothing is there
    char* link;    // text of the symbolic link
    bool isFolder;
  };
  static constexpr size_t most = 256;
  Entry entries[most];
  size_t count = 0;
  unsigned long long tmpBytes = 64ull << 20;

  void add(Kind kind, const char* path) {
    if (count == most) die("too many paths", path, 0);
    if (path[0] != '/') die("not an absolute path", path, 0);
    entries[count++] = {kind, path, nullptr, nullptr, false};
  }

  // Real places are found before the root changes: an absolute link would then lead elsewhere.
  void resolve() {
    for (size_t i = 0; i < count; ++i) {
      Entry& e = entries[i];
      struct stat status;
      if (lstat(e.path, &status) != 0) continue;
      if (S_ISLNK(status.st_mode) && e.kind == Read) {
        char text[PATH_MAX];
        const ssize_t length = readlink(e.path, text, sizeof text - 1);
        if (length > 0) e.link = strndup(text, (size_t)length);
        continue;
      }
      e.source = realpath(e.path, nullptr);
      e.isFolder = S_ISDIR(status.st_mode) || (S_ISLNK(status.st_mode) && isFolderAt(e.path));
    }
  }

  // @param ownProc a /proc of the new PID namespace; else the one that is there
  void enter(bool ownProc) {
    // Nothing that is mounted from here on is seen outside.
    must(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "make private", "/");
    const char* base = isFolderAt("/tmp") ? "/tmp" : isFolderAt("/run") ? "/run" : "/mnt";
    must(mount("tmpfs", base, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m"), "mount a root on", base);
    must(chdir(base), "chdir", base);
    must(mkdir("old", 0755), "mkdir", "old");
    must((int)syscall(SYS_pivot_root, ".", "old"), "pivot_root", base);
    must(chdir("/"), "chdir", "/");

    mkdir("/proc", 0755);
    if (ownProc) {
      must(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "mount", "/proc");
      // The system's settings are their owner's to change, and in a user namespace that may be who we are outside.
      for (const char* part : {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"})
        if (access(part, F_OK) == 0) bindReal(part, part, MOUNT_READ);
    } else {
      bind("/proc", "/proc", MOUNT_READ);
    }
    char options[64];
    snprintf(options, sizeof options, "mode=1777,size=%llu", tmpBytes);
    own("/tmp", options);
    devices();
    own("/dev/shm", options);
    for (size_t i = 0; i < count; ++i) show(entries[i]);
    must(umount2("/old", MNT_DETACH), "umount", "/old");
    must(rmdir("/old"), "rmdir", "/old");
    must(mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, nullptr), "seal", "/");
  }

 private:
  // The attributes of mount_setattr (2), whose header older systems lack.
  static constexpr unsigned long long MOUNT_READ = 1 | 2 | 4;  // RDONLY, NOSUID, NODEV
  static constexpr unsigned long long MOUNT_WRITE = 2 | 4;
  static constexpr unsigned long long MOUNT_DEVICE = 2 | 8;  // NOSUID, NOEXEC

  static void must(int result, const char* what, const char* which) {
    if (result != 0) die(what, which, errno);
  }

  static bool isFolderAt(const char* path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
  }

  static void makeParents(const char* path) {
    char part[PATH_MAX];
    for (const char* slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
      snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
      mkdir(part, 0755);
    }
  }

  static void own(const char* path, const char* options) {
    makeParents(path);
    mkdir(path, 0755);
    must(mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options), "mount", path);
  }

  // @param source as it was called before the root changed
  static void bind(const char* source, const char* target, unsigned long long attributes) {
    char from[PATH_MAX];
    snprintf(from, sizeof from, "/old%s", source);
    bindReal(from, target, attributes);
  }

  static void bindReal(const char* source, const char* target, unsigned long long attributes) {
    must(mount(source, target, nullptr, MS_BIND | MS_REC, nullptr), "bind", source);
    struct {
      unsigned long long set, clear, propagation, userns;
    } change{attributes, 0, 0, 0};
    constexpr int mountSetattr = 442, recursive = 0x8000;  // the same number on every architecture
    if (syscall(mountSetattr, AT_FDCWD, target, recursive, &change, sizeof change) == 0) return;
    if (errno != ENOSYS) die("restrict", source, errno);
    // Before Linux 5.12: this mount alone; what is mounted below keeps its flags, and the program its lack of rights.
    const unsigned long flags = (attributes & 1 ? MS_RDONLY : 0) | (attributes & 2 ? MS_NOSUID : 0) |
                                (attributes & 4 ? MS_NODEV : 0) | (attributes & 8 ? MS_NOEXEC : 0);
    must(mount(nullptr, target, nullptr, MS_REMOUNT | MS_BIND | flags, nullptr), "restrict", source);
  }

  static void devices() {
    must(mkdir("/dev", 0755), "mkdir", "/dev");
    for (const char* name : {"null", "zero", "full", "random", "urandom"}) {
      char path[32];
      snprintf(path, sizeof path, "/dev/%s", name);
      close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
      bind(path, path, MOUNT_DEVICE);
    }
    must(symlink("/proc/self/fd", "/dev/fd"), "symlink", "/dev/fd");
  }

  static void show(const Entry& e) {
    makeParents(e.path);
    if (e.link) {
      // It may be there already, in a folder shown before.
      if (symlink(e.link, e.path) != 0 && errno != EEXIST) die("symlink", e.path, errno);
      return;
    }
    if (!e.source) return;
    if (e.isFolder) mkdir(e.path, 0755);
    else close(open(e.path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    bind(e.source, e.path, e.kind == Read ? MOUNT_READ : e.kind == Write ? MOUNT_WRITE : MOUNT_DEVICE);
  }
};
