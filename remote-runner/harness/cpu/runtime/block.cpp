// The scheduler of a block: which fibre runs next, and the barrier of the block.
#include "block.h"

#include <sched.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "errors.h"
#include "strict.h"

namespace ks {

namespace {
thread_local BlockRunner* runner = nullptr;
}

BlockRunner::BlockRunner() {
  memset(warp_, 0, sizeof warp_);
}
BlockRunner::~BlockRunner() = default;
BlockRunner* BlockRunner::current() { return runner; }

/** What every other fibre does: its share of one block after the other. */
void BlockRunner::fibre_main() {
  BlockRunner& self = *runner;
  for (;;) {
    self.body_(self.closure_);
    DefaultFloatControl::reset();  // its next thread is one of another block
    Fibre* done = self.current_;
    self.idle_.push(done);
    Fibre* next = self.pick();
    self.current_ = next ? next : &self.own_;
    switch_to(done->context, self.current_->context);
  }
}

/** What the OS thread's own fibre does: its share of the block, then wait for the others. */
void BlockRunner::own_main() {
  body_(closure_);
  while (Fibre* next = pick()) {
    current_ = next;
    switch_to(own_.context, next->context);
  }
}

Fibre* BlockRunner::idle() {
  if (Fibre* fibre = idle_.pop()) return fibre;
  Fibre* fibre = fibres_.add();
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
  poller_.begin();
  current_ = &own_;
  guard(guard_, [](void* self) { static_cast<BlockRunner*>(self)->own_main(); }, this);
  runner = nullptr;
  poller_.end();
  if (error_) abandon();
  return error_;
}

/** The block has failed: forget its half-run threads. Their frames are not unwound, as on a GPU. */
void BlockRunner::abandon() {
  idle_ = ready_ = at_barrier_ = Queue();
  suspended_ = barrier_count_ = collective_count_ = active_count_ = 0;
  barrier_votes_ = barrier_mixed_ = false;
  memset(warp_, 0, sizeof warp_);
  own_.wait = Wait::none;
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
  switch_to(dropped, guard_);
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
  ++poller_.events;
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

void BlockRunner::spin(bool isFirst, const char* file, unsigned line) {
  if (isFirst) ++poller_.events;
  const unsigned long long events = poller_.events;
  yield();
  poller_.events = events + (poller_.events > events + 1 ? 1 : 0);
  if (!poller_.is_stuck()) return;
  char text[400];
  snprintf(text, sizeof text,
           "%s:%u: block (%u,%u,%u), thread (%u,%u,%u) waits in a loop for what no running thread will write; %u blocks "
           "run at a time here",
           file, line, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, worker_count());
  fail(702, text);
}

int BlockRunner::barrier(int vote, int predicate, const char* file, unsigned line) {
  Fibre* me = current_;
  me->wait = Wait::barrier;
  me->kind = vote;
  me->value = unsigned(predicate);
  me->file = file;
  me->line = line;
  barrier_votes_ |= vote != 0;
  barrier_mixed_ |= at_barrier_.head && (at_barrier_.head->line != line || at_barrier_.head->file != file);
  at_barrier_.push(me);
  ++barrier_count_;
  suspend();
  return int(me->result);
}

/** Lanes of one warp must wait at one barrier: at different ones a GPU may hang or let some of them through. */
void BlockRunner::report_divergence() {
  const Fibre* first[32] = {};
  for (const Fibre* f = at_barrier_.head; f; f = f->next) {
    const Fibre*& other = first[linear(f->thread) >> 5];
    if (!other) other = f;
    if (other->line == f->line && strcmp(other->file, f->file) == 0) continue;
    char text[600];
    snprintf(text, sizeof text,
             "divergent barriers in block (%u,%u,%u): thread (%u,%u,%u) waits at %s:%u, thread (%u,%u,%u) of the same "
             "warp at %s:%u",
             blockIdx.x, blockIdx.y, blockIdx.z, other->thread.x, other->thread.y, other->thread.z, other->file,
             other->line, f->thread.x, f->thread.y, f->thread.z, f->file, f->line);
    fail(719, text);
  }
  barrier_mixed_ = false;
}

void BlockRunner::release_barrier() {
  if (barrier_mixed_) report_divergence();
  if (strict::is_on) strict::barrier();
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
  auto show = [&](const Fibre& f) {
    if (f.wait == Wait::none) return;
    bool known = false;
    for (unsigned i = 0; i < places; ++i) {
      known |= shown[i]->wait == f.wait && shown[i]->line == f.line && strcmp(shown[i]->file, f.file) == 0;
    }
    if (known || places == 4) return;
    shown[places++] = &f;
    if (f.wait == Wait::barrier) {
      add("%sthread (%u,%u,%u) waits at %s:%u for the block", places > 1 ? "; " : "", f.thread.x, f.thread.y,
          f.thread.z, f.file, f.line);
    } else {
      add("%sthread (%u,%u,%u) waits at %s:%u for the lanes 0x%08x", places > 1 ? "; " : "", f.thread.x, f.thread.y,
          f.thread.z, f.file, f.line, f.mask);
    }
  };
  show(own_);
  for (auto& fibre : fibres_) show(*fibre);
  fail(719, text);
}

}  // namespace ks
