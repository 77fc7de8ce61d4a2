// The scheduler of a block: fibres, barriers and warp collectives.
#include "block.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

KS_TLS uint3 threadIdx;
KS_TLS uint3 blockIdx;
KS_TLS dim3 blockDim;
KS_TLS dim3 gridDim;
KS_TLS uint3 ks_next_thread;
KS_TLS ks::Claim ks_claim;
KS_TLS unsigned ks_polls;

namespace ks {

enum class Wait : unsigned char { none, barrier, collective, active };

struct Fibre {
  Context context;
  Fibre* next = nullptr;
  uint3 thread{};
  Wait wait = Wait::none;
  int kind = 0, argument = 0, width = 32;
  unsigned mask = 0, line = 0, warp = 0, lane = 0;
  unsigned long long value = 0, result = 0;
  const char* file = nullptr;
  char *memory = nullptr, *base = nullptr, *top = nullptr;
  size_t bytes = 0;

  ~Fibre() {
    if (memory) munmap(memory, bytes);
  }
};

namespace {

thread_local BlockRunner* runner = nullptr;

// CUDA allows 512 KiB of local memory per thread; pages are touched on use only.
constexpr size_t stack_bytes = 512 * 1024;

/** Stacks start at different offsets within a page: equal ones would all fall into the same few cache sets. */
size_t colour(size_t index) { return index % 13 * 192; }

void make_stack(Fibre& fibre, size_t index) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  fibre.bytes = stack_bytes + page;
  void* memory = mmap(nullptr, fibre.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fprintf(stderr, "kernelseek: no memory for the stack of an emulated thread\n");
    _exit(70);
  }
  fibre.memory = static_cast<char*>(memory);
  // Without the guard an overflow would hit another thread's stack; where the limit on mappings forbids it, go on.
  mprotect(fibre.memory, page, PROT_NONE);
  fibre.base = fibre.memory + page;
  fibre.top = fibre.memory + fibre.bytes - colour(index);
}

unsigned linear(uint3 t) { return t.x + blockDim.x * (t.y + blockDim.y * t.z); }

}  // namespace

void Queue::push(Fibre* fibre) {
  fibre->next = nullptr;
  if (tail) tail->next = fibre; else head = fibre;
  tail = fibre;
}

Fibre* Queue::pop() {
  Fibre* fibre = head;
  if (fibre) {
    head = fibre->next;
    if (!head) tail = nullptr;
  }
  return fibre;
}

void Queue::append(Queue& other) {
  if (!other.head) return;
  if (tail) tail->next = other.head; else head = other.head;
  tail = other.tail;
  other.head = other.tail = nullptr;
}

BlockRunner::BlockRunner() { memset(warp_, 0, sizeof warp_); }
BlockRunner::~BlockRunner() = default;
BlockRunner* BlockRunner::current() { return runner; }

void BlockRunner::fibre_main() {
  BlockRunner& self = *runner;
  for (;;) {
    self.body_(self.closure_);
    self.idle_.push(self.current_);
    Fibre* done = self.current_;
    Fibre* next = self.pick();
    if (next == done) continue;
    self.current_ = next;
    switch_to(done->context, next ? next->context : self.home_);
  }
}

Fibre* BlockRunner::idle() {
  if (Fibre* fibre = idle_.pop()) return fibre;
  fibres_.push_back(std::make_unique<Fibre>());
  Fibre* fibre = fibres_.back().get();
  make_stack(*fibre, fibres_.size());
  prepare(fibre->context, fibre->base, fibre->top, &fibre_main);
  return fibre;
}

int BlockRunner::run(BlockBody body, const void* closure) {
  body_ = body;
  closure_ = closure;
  threads_ = blockDim.x * blockDim.y * blockDim.z;
  warps_ = (threads_ + 31) / 32;
  ks_next_thread = uint3{0, 0, 0};
  error_ = 0;
  runner = this;
  current_ = idle();
  switch_to(home_, current_->context);
  runner = nullptr;
  if (error_) abandon();
  return error_;
}

/** The block has failed: forget its half-run threads. Their frames are not unwound, as on a GPU. */
void BlockRunner::abandon() {
  idle_ = ready_ = at_barrier_ = Queue();
  suspended_ = barrier_count_ = collective_count_ = active_count_ = 0;
  barrier_votes_ = false;
  memset(warp_, 0, sizeof warp_);
  for (auto& fibre : fibres_) {
    prepare(fibre->context, fibre->base, fibre->top, &fibre_main);
    fibre->wait = Wait::none;
    idle_.push(fibre.get());
  }
}

void BlockRunner::fail(int error, const char* message) {
  static std::atomic<bool> said{false};
  // The error is sticky: blocks that fail at the same time have nothing to add.
  if (!said.exchange(true)) fprintf(stderr, "kernelseek: %s\n", message);
  error_ = error;
  Context dropped;
  switch_to(dropped, home_);
  __builtin_unreachable();
}

bool BlockRunner::unstarted() const { return ks_next_thread.x < blockDim.x || ks_next_row(); }

/** What to run next: released threads first, then new ones; null when the block is done. */
Fibre* BlockRunner::pick() {
  for (;;) {
    if (Fibre* fibre = ready_.pop()) return fibre;
    if (unstarted()) return idle();
    if (suspended_ == 0) return nullptr;
    if (!resolve()) report_deadlock();
  }
}

void BlockRunner::resume(Fibre* next) {
  Fibre* me = current_;
  if (next != me) {
    current_ = next;
    switch_to(me->context, next->context);
  }
  threadIdx = me->thread;
  ks_claim = Claim::lost;
  me->wait = Wait::none;
}

/** The current thread is about to wait: threads behind it in its row may be started by other fibres. */
void BlockRunner::leave() {
  current_->thread = threadIdx;
  if (ks_claim == Claim::held) {
    ks_next_thread.x = threadIdx.x + 1;
    ks_claim = Claim::lost;
  }
}

void BlockRunner::suspend() {
  leave();
  ++suspended_;
  resume(pick());
}

void BlockRunner::yield() {
  leave();
  if (!ready_.head && !unstarted()) {
    sched_yield();  // whoever is waited for is in another block
    return;
  }
  ready_.push(current_);
  // A thread that polls must not keep a new one from starting, or a whole block could poll for one never started.
  resume(unstarted() ? idle() : ready_.pop());
}

int BlockRunner::barrier(int vote, int predicate, const char* file, unsigned line) {
  Fibre* me = current_;
  me->wait = Wait::barrier;
  me->kind = vote;
  me->value = unsigned(predicate);
  me->file = file;
  me->line = line;
  barrier_votes_ |= vote != 0;
  at_barrier_.push(me);
  ++barrier_count_;
  suspend();
  return int(me->result);
}

void BlockRunner::release_barrier() {
  if (barrier_votes_) {
    unsigned ones = 0;
    for (Fibre* f = at_barrier_.head; f; f = f->next) ones += f->value != 0;
    for (Fibre* f = at_barrier_.head; f; f = f->next) {
      switch (BarrierVote(f->kind)) {
        case BarrierVote::none: break;
        case BarrierVote::count: f->result = ones; break;
        case BarrierVote::all: f->result = ones == barrier_count_; break;
        case BarrierVote::any: f->result = ones != 0; break;
      }
    }
    barrier_votes_ = false;
  }
  suspended_ -= barrier_count_;
  barrier_count_ = 0;
  ready_.append(at_barrier_);
}

unsigned long long BlockRunner::collective(int kind, unsigned mask, unsigned long long value, int argument, int width,
                                           const char* file, unsigned line) {
  Fibre* me = current_;
  const unsigned index = linear(threadIdx), lane = index & 31u, bit = 1u << lane;
  if (!(mask & bit)) {
    char text[400];
    snprintf(text, sizeof text, "%s:%u: lane %u calls a warp function whose mask 0x%08x does not name it", file, line,
             lane, mask);
    fail(719, text);
  }
  Warp& warp = warp_[index >> 5];
  me->wait = Wait::collective;
  me->kind = kind;
  me->mask = mask;
  me->value = value;
  me->argument = argument;
  me->width = width;
  me->warp = index >> 5;
  me->lane = lane;
  me->file = file;
  me->line = line;
  warp.lane[lane] = me;
  warp.waiting |= bit;
  const unsigned left = threads_ - (index & ~31u), group = mask & (left >= 32 ? ~0u : (1u << left) - 1u);
  ++collective_count_;
  leave();
  if ((warp.waiting & group) == group) {
    ++suspended_;
    if (complete(warp, group)) {
      // The others are in the ready queue in lane order, and so is this lane: take its turn out of the queue's order.
      resume(pick());
      return me->result;
    }
    --suspended_;
  }
  suspend();
  return me->result;
}

unsigned BlockRunner::active_mask(const char* file, unsigned line) {
  Fibre* me = current_;
  const unsigned index = linear(threadIdx);
  me->wait = Wait::active;
  me->warp = index >> 5;
  me->lane = index & 31u;
  me->file = file;
  me->line = line;
  warp_[me->warp].lane[me->lane] = me;
  warp_[me->warp].waiting |= 1u << me->lane;
  ++active_count_;
  suspend();
  return unsigned(me->result);
}

namespace {

/** The value that `lane` of `group` gets. A source lane that takes no part yields ones: undefined on a GPU, visible here. */
unsigned long long shuffled(const Warp& warp, unsigned group, unsigned lane) {
  const Fibre& f = *warp.lane[lane];
  const int width = f.width, first = int(lane) & ~(width - 1), argument = f.argument & 31;
  int from = int(lane);
  switch (Collective(f.kind)) {
    case Collective::shfl_idx: from = first | (argument & (width - 1)); break;
    case Collective::shfl_up: from = int(lane) - argument >= first ? int(lane) - argument : int(lane); break;
    case Collective::shfl_down: from = int(lane) + argument < first + width ? int(lane) + argument : int(lane); break;
    default: {
      // A partner in an earlier segment is read, one in a later segment is not.
      const int partner = int(lane) ^ argument;
      from = partner < first + width ? partner : int(lane);
    }
  }
  if (from < 0 || from > 31 || !(group >> from & 1u)) return ~0ull;
  return warp.lane[from]->value;
}

unsigned long long reduced(Collective kind, const Warp& warp, unsigned group) {
  bool first = true;
  unsigned sum = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(group >> lane & 1u)) continue;
    const unsigned v = unsigned(warp.lane[lane]->value);
    if (first) {
      sum = v;
      first = false;
      continue;
    }
    switch (kind) {
      case Collective::add_unsigned: sum += v; break;
      case Collective::min_unsigned: sum = v < sum ? v : sum; break;
      case Collective::max_unsigned: sum = v > sum ? v : sum; break;
      case Collective::min_signed: sum = int(v) < int(sum) ? v : sum; break;
      case Collective::max_signed: sum = int(v) > int(sum) ? v : sum; break;
      case Collective::bit_and: sum &= v; break;
      case Collective::bit_or: sum |= v; break;
      default: sum ^= v;
    }
  }
  return sum;
}

}  // namespace

/** Lets the lanes of `group` go if all of them wait in the same function with the same mask. */
bool BlockRunner::complete(Warp& warp, unsigned group) {
  Fibre* any = nullptr;
  unsigned ones = 0;
  bool same = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(group >> lane & 1u)) continue;
    Fibre* f = warp.lane[lane];
    if (!any) any = f;
    if (f->wait != Wait::collective || f->mask != any->mask || f->kind != any->kind) return false;
    if (f->value) ones |= 1u << lane;
    same &= f->value == any->value;
  }
  const Collective kind = Collective(any->kind);
  unsigned long long uniform = 0;
  switch (kind) {
    case Collective::sync: case Collective::match_any: case Collective::shfl_idx: case Collective::shfl_up:
    case Collective::shfl_down: case Collective::shfl_xor: break;
    case Collective::ballot: uniform = ones; break;
    case Collective::all: uniform = ones == group; break;
    case Collective::any: uniform = ones != 0; break;
    case Collective::match_all: uniform = same ? group : 0u; break;
    default: uniform = reduced(kind, warp, group);
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(group >> lane & 1u)) continue;
    Fibre* f = warp.lane[lane];
    if (kind >= Collective::shfl_idx && kind <= Collective::shfl_xor) {
      f->result = shuffled(warp, group, lane);
    } else if (kind == Collective::match_any) {
      unsigned equal = 0;
      for (unsigned other = 0; other < 32; ++other) {
        if (group >> other & 1u && warp.lane[other]->value == f->value) equal |= 1u << other;
      }
      f->result = equal;
    } else {
      f->result = uniform;
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(group >> lane & 1u)) continue;
    ready_.push(warp.lane[lane]);
    --suspended_;
    --collective_count_;
  }
  warp.waiting &= ~group;
  return true;
}

/**
 * Called when no thread can run and none is left to start: lanes that are not suspended have exited, so the waiting
 * collectives may be complete without them; then lanes asking who is active; then the barrier of the block.
 */
bool BlockRunner::resolve() {
  if (collective_count_ && resolve_collectives()) return true;
  if (active_count_) return resolve_active_masks();
  if (collective_count_ || barrier_count_ != suspended_) return false;
  release_barrier();
  return true;
}

bool BlockRunner::resolve_collectives() {
  unsigned at_barrier[32] = {};
  for (Fibre* f = at_barrier_.head; f; f = f->next) {
    const unsigned index = linear(f->thread);
    at_barrier[index >> 5] |= 1u << (index & 31u);
  }
  bool any = false;
  for (unsigned w = 0; w < warps_; ++w) {
    Warp& warp = warp_[w];
    for (unsigned left = warp.waiting; left;) {
      const unsigned lane = unsigned(__builtin_ctz(left));
      Fibre* f = warp.lane[lane];
      const unsigned group = f->mask & (warp.waiting | at_barrier[w]);
      left &= ~(1u << lane);
      if (f->wait != Wait::collective || group & at_barrier[w]) continue;
      if (complete(warp, group)) {
        any = true;
        left &= ~group;
      }
    }
  }
  return any;
}

bool BlockRunner::resolve_active_masks() {
  for (unsigned w = 0; w < warps_; ++w) {
    Warp& warp = warp_[w];
    for (unsigned left = warp.waiting; left; left &= left - 1) {
      Fibre* f = warp.lane[__builtin_ctz(left)];
      if (f->wait != Wait::active) continue;
      unsigned group = 0;
      for (unsigned rest = left; rest; rest &= rest - 1) {
        Fibre* g = warp.lane[__builtin_ctz(rest)];
        if (g->wait == Wait::active && g->line == f->line && strcmp(g->file, f->file) == 0) group |= 1u << g->lane;
      }
      for (unsigned rest = group; rest; rest &= rest - 1) {
        Fibre* g = warp.lane[__builtin_ctz(rest)];
        g->result = group;
        g->wait = Wait::none;
        ready_.push(g);
        --suspended_;
        --active_count_;
      }
      warp.waiting &= ~group;
      left = (left & ~group) | (left & -left);
    }
  }
  return true;
}

void BlockRunner::report_deadlock() {
  char text[1200];
  size_t used = 0;
  auto add = [&](const char* format, ...) {
    if (used >= sizeof text) return;
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text + used, sizeof text - used, format, list);
    va_end(list);
    if (n > 0) used += size_t(n);
  };
  add("deadlock in block (%u,%u,%u): ", blockIdx.x, blockIdx.y, blockIdx.z);
  // One example for each place at which threads wait.
  const Fibre* shown[4];
  unsigned places = 0;
  for (auto& fibre : fibres_) {
    const Fibre& f = *fibre;
    if (f.wait == Wait::none) continue;
    bool known = false;
    for (unsigned i = 0; i < places; ++i) {
      known |= shown[i]->wait == f.wait && shown[i]->line == f.line && strcmp(shown[i]->file, f.file) == 0;
    }
    if (known || places == 4) continue;
    shown[places++] = &f;
    if (f.wait == Wait::barrier) {
      add("%sthread (%u,%u,%u) waits at %s:%u for the block", places > 1 ? "; " : "", f.thread.x, f.thread.y, f.thread.z,
          f.file, f.line);
    } else {
      add("%sthread (%u,%u,%u) waits at %s:%u for the lanes 0x%08x", places > 1 ? "; " : "", f.thread.x, f.thread.y,
          f.thread.z, f.file, f.line, f.mask);
    }
  }
  fail(719, text);
}

}  // namespace ks

bool ks_next_row() {
  // Called with the row used up, possibly again after the last one.
  if (ks_next_thread.z >= blockDim.z) return false;
  if (ks_next_thread.x < blockDim.x) return true;
  if (++ks_next_thread.y >= blockDim.y) {
    ks_next_thread.y = 0;
    if (++ks_next_thread.z >= blockDim.z) return false;
  }
  ks_next_thread.x = 0;
  return true;
}

/** Device functions called from host code have no block to wait for. */
static ks::BlockRunner& running(const char* what) {
  if (!ks::BlockRunner::current()) {
    fprintf(stderr, "kernelseek: %s called outside of a kernel\n", what);
    abort();
  }
  return *ks::BlockRunner::current();
}

int ks_barrier(int vote, int predicate, const char* file, unsigned line) {
  return running("__syncthreads").barrier(vote, predicate, file, line);
}
unsigned long long ks_collective(int kind, unsigned mask, unsigned long long value, int argument, int width,
                                 const char* file, unsigned line) {
  return running("a warp function").collective(kind, mask, value, argument, width, file, line);
}
unsigned ks_activemask(const char* file, unsigned line) { return running("__activemask").active_mask(file, line); }
void ks_yield() {
  if (ks::BlockRunner::current()) ks::BlockRunner::current()->yield();
}
/** The C library's assert, in kernels as CUDA has it: message, error, and the process lives. Ours comes first in the search. */
extern "C" KS_EXPORT __attribute__((noreturn)) void __assert_fail(const char* assertion, const char* file, unsigned line,
                                                     const char* function) noexcept {
  char text[1000];
  if (!ks::BlockRunner::current()) {
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
    abort();
  }
  snprintf(text, sizeof text, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", file, line,
           function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, assertion);
  ks::BlockRunner::current()->fail(710, text);
}
void ks_trap() {
  char text[160];
  snprintf(text, sizeof text, "__trap in block (%u,%u,%u), thread (%u,%u,%u)", blockIdx.x, blockIdx.y, blockIdx.z,
           threadIdx.x, threadIdx.y, threadIdx.z);
  running("__trap").fail(719, text);
}
