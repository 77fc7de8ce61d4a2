// Launches: checks the configuration, then spreads the blocks of the grid over a pool of OS threads.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "block.h"
#include "errors.h"
#include "shared.h"

namespace ks {
namespace {

struct Grid {
  dim3 grid, block;
  size_t shared;
  BlockBody body;
  const void *closure, *module;
  unsigned long long blocks, chunk;
  std::atomic<unsigned long long> next{0};
  std::atomic<int> error{0};
};

thread_local BlockRunner* own_runner = nullptr;

/** Takes chunks of blocks in order until none is left or one has failed. */
void work(Grid& g) {
  // Kept for the life of the process: its stacks are warm for the next launch.
  if (!own_runner) own_runner = new BlockRunner();
  blockDim = g.block;
  gridDim = g.grid;
  poison_static_shared(g.module);
  while (!g.error.load(std::memory_order_relaxed)) {
    const unsigned long long first = g.next.fetch_add(g.chunk, std::memory_order_relaxed);
    const unsigned long long end = std::min(first + g.chunk, g.blocks);
    for (unsigned long long b = first; b < end; ++b) {
      blockIdx.x = unsigned(b % g.grid.x);
      blockIdx.y = unsigned(b / g.grid.x % g.grid.y);
      blockIdx.z = unsigned(b / g.grid.x / g.grid.y);
      poison_dynamic_shared(g.shared);
      int error = own_runner->run(g.body, g.closure);
      if (!error && !dynamic_shared_intact(g.shared)) {
        error = cudaErrorIllegalAddress;
        if (!g.error.load()) {
          fprintf(stderr, "kernelseek: block (%u,%u,%u) wrote behind the %zu bytes of its dynamic shared memory\n",
                  blockIdx.x, blockIdx.y, blockIdx.z, g.shared);
        }
      }
      if (error) {
        int none = 0;
        g.error.compare_exchange_strong(none, error);
        return;
      }
    }
    if (first >= g.blocks) return;
  }
}

/** The launching thread works too, so a small grid needs nobody to wake up. */
class Pool {
 public:
  void run(Grid& g) {
    const unsigned long long chunks = (g.blocks + g.chunk - 1) / g.chunk;
    unsigned helpers = unsigned(std::min<unsigned long long>(worker_count(), chunks)) - 1;
    if (helpers) {
      std::lock_guard<std::mutex> lock(mutex_);
      helpers = std::min(helpers, start(helpers));
      grid_ = &g;
      wanted_ = helpers;
      wake_.notify_all();
    }
    work(g);
    if (helpers) {
      std::unique_lock<std::mutex> lock(mutex_);
      wanted_ = 0;  // those that have not woken up yet are not needed any more
      done_.wait(lock, [this] { return busy_ == 0; });
      grid_ = nullptr;
    }
  }

 private:
  /** Makes sure that there are `count` threads; how many there are, which is fewer where a limit forbids more. */
  unsigned start(unsigned count) {
    try {
      for (; threads_ < count; ++threads_) std::thread(&Pool::serve, this).detach();
    } catch (const std::system_error&) {
    }
    return threads_;
  }

  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return wanted_ > 0; });
      --wanted_;
      ++busy_;
      Grid& g = *grid_;
      lock.unlock();
      work(g);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Grid* grid_ = nullptr;
  unsigned threads_ = 0, wanted_ = 0, busy_ = 0;
};

// Never destroyed: its threads outlive main.
Pool& pool() {
  static Pool* one = new Pool();
  return *one;
}

std::mutex launching;
std::atomic<size_t> allowed_shared{max_shared_default};

bool valid(dim3 grid, dim3 block) {
  const unsigned long long threads = 1ull * block.x * block.y * block.z;
  return threads >= 1 && threads <= 1024 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 && grid.x >= 1 &&
         grid.y >= 1 && grid.z >= 1 && grid.x <= 2147483647u && grid.y <= 65535u && grid.z <= 65535u;
}

}  // namespace

unsigned worker_count() {
  static const unsigned count = [] {
    const char* text = getenv("KS_CPU_THREADS");
    const long wanted = text ? strtol(text, nullptr, 10) : 0;
    const unsigned available = std::max(1u, std::thread::hardware_concurrency());
    // Every stack needs two mappings; 24 threads with 1,024 of them stay below Linux's default limit of 65,530.
    return unsigned(std::min(wanted > 0 ? wanted : long(available), 24l));
  }();
  return count;
}

}  // namespace ks

int ks_allow_shared(size_t bytes) {
  if (bytes > ks::max_shared) return ks::record(cudaErrorInvalidValue);
  size_t seen = ks::allowed_shared.load();
  while (seen < bytes && !ks::allowed_shared.compare_exchange_weak(seen, bytes)) {
  }
  return ks::sticky();
}

void ks_launch(dim3 grid, dim3 block, size_t shared, cudaStream_t, ks::BlockBody body, const void* closure,
               const void* module) {
  if (ks::BlockRunner* inside = ks::BlockRunner::current()) {
    inside->fail(cudaErrorNotSupported,
                 "a kernel was launched from device code, which the CPU target does not support");
  }
  if (ks::sticky() != cudaSuccess) return;
  if (!ks::valid(grid, block)) {
    ks::record(cudaErrorInvalidConfiguration);
    return;
  }
  if (shared > ks::allowed_shared.load()) {
    ks::record(cudaErrorInvalidValue);
    return;
  }
  // Streams are in order and calls complete before they return, whichever host thread they come from.
  std::lock_guard<std::mutex> lock(ks::launching);
  ks::Grid g{grid, block, shared, body, closure, module, 1ull * grid.x * grid.y * grid.z, 1};
  g.chunk = std::max(1ull, std::min(64ull, g.blocks / (ks::worker_count() * 32ull)));
  ks::pool().run(g);
  if (int error = g.error.load()) ks::set_sticky(cudaError_t(error));
}
