// cuda::barrier and cuda::pipeline: arrivals, phases, and asynchronous copies in two stages.
// @output unsigned int 8192
// @agreement exact
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "../input.h"

namespace cuda_pipeline {
namespace cg = cooperative_groups;
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ alignas(16) unsigned stage[2][128];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  const unsigned t = block.thread_rank(), *source = in + blockIdx.x * 1024;

  unsigned sum = 0;
  for (int round = 0; round < 3; ++round) {
    stage[0][t] = source[round * 128 + t];
    auto token = bar.arrive();
    sum += round;  // work of its own
    bar.wait(std::move(token));
    sum = sum * 3 + stage[0][(t * 7 + round) % 128];
    bar.arrive_and_wait();
  }
  cuda::memcpy_async(block, stage[1], source, sizeof(unsigned) * 128, bar);
  bar.arrive_and_wait();
  out[blockIdx.x * 256 + t] = sum + stage[1][127 - t];
  block.sync();

  auto pipe = cuda::make_pipeline(block, &state);
  for (int k = 0; k < 2; ++k) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, stage[k], source + k * 128, sizeof(unsigned) * 128, pipe);
    pipe.producer_commit();
  }
  unsigned mixed = 0;
  for (int k = 0; k < 8; ++k) {
    pipe.consumer_wait();
    mixed = mixed * 5 + stage[k % 2][(t + k) % 128];
    pipe.consumer_release();
    if (k < 6) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[k % 2], source + (k + 2) * 128, sizeof(unsigned) * 128, pipe);
      pipe.producer_commit();
    }
  }
  block.sync();
  auto own = cuda::make_pipeline();
  own.producer_acquire();
  cuda::memcpy_async(&stage[0][t], source + 900 + t % 100, sizeof(unsigned), own);
  own.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(own);
  out[blockIdx.x * 256 + 128 + t] = mixed + stage[0][t];
  own.consumer_release();
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<32, 128, 0, stream>>>(in, out); }
}  // namespace cuda_pipeline
