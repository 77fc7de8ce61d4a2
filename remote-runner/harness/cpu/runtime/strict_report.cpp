// Where findings go: a line each, once for each code and pair of places.
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <unistd.h>

#include "block.h"
#include "strict.h"

namespace ks {
namespace strict {

namespace {

constexpr unsigned most = 48;
struct Known {
  const char* code;
  uintptr_t first, second;
  unsigned line;
};
std::mutex mutex;
Known known[most];
unsigned count = 0;
int channel = -1;
uintptr_t base = 0;

}  // namespace

void open_reports(int descriptor, uintptr_t library_base) {
  channel = descriptor;
  base = library_base;
}

void report(const Report& what, const char* format, ...) {
  std::lock_guard<std::mutex> lock(mutex);
  for (unsigned i = 0; i < count; ++i) {
    const Known& k = known[i];
    const bool same = k.first == what.first && k.second == what.second;
    const bool swapped = k.first == what.second && k.second == what.first;
    if (strcmp(k.code, what.code) == 0 && k.line == what.line && (same || swapped)) return;
  }
  if (count == most || channel < 0) return;
  known[count++] = {what.code, what.first, what.second, what.line};
  char text[2000];
  int used = snprintf(text, sizeof text, "found\t%s\t%zx\t%zx\t%s\t%u\t%u\t", what.code,
                      size_t(what.first ? what.first - base : 0), size_t(what.second ? what.second - base : 0),
                      what.file ? what.file : "", what.line, what.column);
  if (used < 0 || size_t(used) >= sizeof text - 2) return;
  va_list list;
  va_start(list, format);
  const int more = vsnprintf(text + used, sizeof text - 1 - size_t(used), format, list);
  va_end(list);
  if (more < 0) return;
  used = int(strlen(text));
  text[used++] = '\n';
  for (int done = 0; done < used;) {
    const ssize_t n = write(channel, text + done, size_t(used - done));
    if (n <= 0) return;
    done += int(n);
  }
}

void stop(int error) { BlockRunner::current()->fail(error, "strict mode ends the kernel at the first bad address"); }

const char* thread_name(unsigned linear) {
  static thread_local char names[4][48];
  static thread_local unsigned next = 0;
  char* name = names[next++ % 4];
  const unsigned x = blockDim.x, y = blockDim.y;
  snprintf(name, sizeof names[0], "thread (%u,%u,%u)", linear % x, linear / x % y, linear / x / y);
  return name;
}

}  // namespace strict
}  // namespace ks
