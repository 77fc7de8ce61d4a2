// Launches: checks the configuration, then spreads the blocks of the grid over a pool of OS threads.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "block.h"
#include "errors.h"
#include "kernels.h"
#include "shared.h"
#include "streams.h"
#include "strict.h"

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

/** Kept as long as its OS thread: the stacks are warm for the next launch. */
class OwnRunner {
 public:
  // Whoever ends the process from inside a kernel stands on one of the stacks.
  ~OwnRunner() {
    if (!BlockRunner::current()) delete runner_;
  }
  BlockRunner& get() {
    if (!runner_) runner_ = new BlockRunner();
    return *runner_;
  }

 private:
  BlockRunner* runner_ = nullptr;
};
thread_local OwnRunner own_runner;

/** Takes chunks of blocks in order until none is left or one has failed. */
void work(Grid& g) {
  BlockRunner& runner = own_runner.get();
  const DefaultFloatControl control;  // whatever the host has set, a kernel does not see it, nor the host what one sets
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
      DefaultFloatControl::reset();
      if (strict::is_on) strict::begin_block(g.shared);
      int error = runner.run(g.body, g.closure);
      if (strict::is_on) strict::end_block();
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
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // Emulated threads that meet no barrier run here, each with up to 512 KiB of local memory; the C library may put
    // the thread-local variables, shared memory among them, into the same bytes.
    pthread_attr_setstacksize(&attributes, 2 * 1024 * 1024);
    const auto serve = [](void* pool) -> void* {
      static_cast<Pool*>(pool)->serve();
      return nullptr;
    };
    for (pthread_t thread; threads_ < count && pthread_create(&thread, &attributes, serve, this) == 0;) ++threads_;
    pthread_attr_destroy(&attributes);
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

static cudaError_t run_grid(const ks::Launch& launch) {
  if (ks::sticky() != cudaSuccess) return ks::sticky();
  // Streams are in order and calls complete before they return, whichever host thread they come from.
  std::lock_guard<std::mutex> lock(ks::launching);
  const dim3 grid = launch.grid;
  ks::Grid g{grid,           launch.block,  launch.shared, launch.body,
             launch.closure, launch.module, 1ull * grid.x * grid.y * grid.z, 1};
  g.chunk = std::max(1ull, std::min(64ull, g.blocks / (ks::worker_count() * 32ull)));
  if (ks::strict::is_on) ks::strict::begin_launch(launch.closure, launch.bytes);
  ks::pool().run(g);
  if (int error = g.error.load()) ks::set_sticky(cudaError_t(error));
  return ks::sticky();
}

/** The launch as something that can be repeated: it owns a copy of the bound call. */
static ks::Action repeatable(const ks::Launch& launch) {
  const char* from = static_cast<const char*>(launch.closure);
  // Of the alignment that any closure may have; the bytes of objects are theirs to keep, as on a GPU.
  std::shared_ptr<char> closure(static_cast<char*>(aligned_alloc(128, (launch.bytes + 127) / 128 * 128)), free);
  memcpy(closure.get(), from, launch.bytes);
  return [launch, closure] {
    ks::Launch again = launch;
    again.closure = closure.get();
    return run_grid(again);
  };
}

void ks_launch(const ks::Launch& launch) {
  if (ks::BlockRunner* inside = ks::BlockRunner::current()) {
    inside->fail(cudaErrorNotSupported,
                 "a kernel was launched from device code, which the CPU target does not support");
  }
  if (ks::sticky() != cudaSuccess) return;
  if (!ks::valid(launch.grid, launch.block)) {
    ks::record(cudaErrorInvalidConfiguration);
    return;
  }
  if (launch.shared > ks::max_shared || (launch.shared && launch.shared > ks::allowed_dynamic_shared(launch.kernel))) {
    ks::record(cudaErrorInvalidValue);
    return;
  }
  ks::Action* recorder = ks::LaunchRecorder::current();
  if (!recorder && !ks::is_recording(launch.stream)) {
    const bool isLegacy = launch.stream == nullptr || launch.stream == cudaStreamLegacy;
    if (isLegacy && ks::check_legacy() != cudaSuccess) return;
    ks::pending::work(launch.stream);
    run_grid(launch);
    return;
  }
  if (!launch.isOwn) {
    fprintf(stderr, "kernelseek: the CPU target cannot record a launch with a braced list or an object among the arguments of a kernel whose template arguments are deduced\n");
    ks::record(cudaErrorStreamCaptureUnsupported);
    return;
  }
  if (recorder) *recorder = repeatable(launch);
  else ks::record_action(launch.stream, cudaGraphNodeTypeKernel, repeatable(launch));
}
