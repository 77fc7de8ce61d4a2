// Runs the threads of one block as fibres on one OS thread.
#pragma once
#include "../include/ks/abi.h"
#include "context.h"
#include "fibre.h"
#include "polling.h"

namespace ks {

/** The lanes of one warp that wait for each other. */
struct Warp {
  Fibre* lane[32];
  unsigned waiting;
};

/**
 * Scheduler of one OS thread. A fibre takes one not yet started thread of the block after the other, the first on the
 * OS thread's own stack, so a kernel without barriers runs as a plain loop and meets no other stack; only a thread that
 * has to wait makes a further fibre necessary. Switches go from the fibre that waits to the one that runs next.
 * Threads that have exited need no bookkeeping: when nothing can run and nothing is left to start, whoever is not
 * suspended has exited.
 */
class BlockRunner {
 public:
  BlockRunner();
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /** Runs one block (blockIdx, blockDim and gridDim are set); a CUDA error code, 0 for none. */
  int run(BlockBody body, const void* closure);

  int barrier(int vote, int predicate, const char* file, unsigned line);
  unsigned long long collective(int kind, unsigned mask, unsigned long long value, int argument, int width,
                                const char* file, unsigned line);
  unsigned active_mask(const char* file, unsigned line);
  void yield();
  /** The same for a thread that does nothing but wait; ends the block where that can never end. */
  void spin(bool isFirst, const char* file, unsigned line);
  /** Gives up the block with this error; `message` goes to stderr. */
  [[noreturn]] void fail(int error, const char* message);

  /** The one that runs now. */
  const Fibre& fibre() const { return *current_; }

  /** The runner whose block the calling code belongs to, or null outside of kernels. */
  static BlockRunner* current();

 private:
  static void fibre_main();
  void own_main();
  Fibre* idle();
  Fibre* pick();
  void leave();
  void suspend();
  void resume(Fibre* next);
  bool unstarted() const;
  bool resolve();
  bool resolve_collectives();
  bool resolve_active_masks();
  void release_barrier();
  void report_divergence();
  bool complete(Warp& warp, unsigned group);
  void report_deadlock();
  void abandon();

  Fibre own_;  // on the stack of the OS thread
  Fibres fibres_;
  Fibre* current_ = nullptr;
  Queue idle_, ready_, at_barrier_;
  unsigned suspended_ = 0, barrier_count_ = 0, collective_count_ = 0, active_count_ = 0, warps_ = 0, threads_ = 0;
  bool barrier_votes_ = false, barrier_mixed_ = false;
  Poller poller_;
  Warp warp_[32];
  BlockBody body_ = nullptr;
  const void* closure_ = nullptr;
  Context guard_;  // where run() goes on after a failure
  int error_ = 0;
};

}  // namespace ks
