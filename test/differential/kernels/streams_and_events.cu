// Work on two streams that wait for each other by events, with fills, copies in two dimensions and host functions.
// @output unsigned int 4608
// @agreement exact
#include "../input.h"

namespace streams_and_events {
__global__ void twist(unsigned* a, int n, unsigned by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = a[i] * 33u + by + unsigned(i);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  cudaStream_t other;
  cudaEvent_t ready, done;
  unsigned* copy;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaEventCreate(&done);
  cudaMallocAsync(&copy, 4096 * sizeof(unsigned), stream);
  cudaMemcpyAsync(copy, in, 4096 * sizeof(unsigned), cudaMemcpyDeviceToDevice, stream);
  twist<<<5, 96, 0, stream>>>(copy, 4096, 1);
  cudaEventRecord(ready, stream);
  cudaStreamWaitEvent(other, ready, 0);
  twist<<<7, 64, 0, other>>>(copy, 4096, 2);
  cudaMemcpyAsync(out, copy, 4096 * sizeof(unsigned), cudaMemcpyDeviceToDevice, other);
  cudaEventRecord(done, other);
  cudaStreamWaitEvent(stream, done, 0);
  twist<<<3, 128, 0, stream>>>(out, 2048, 3);
  cudaMemsetAsync(out + 4096, 0xa5, 512 * sizeof(unsigned), stream);
  // A block of 16 × 10 words of a picture 64 wide into one 32 wide.
  cudaMemcpy2DAsync(out + 4096, 32 * sizeof(unsigned), copy + 70, 64 * sizeof(unsigned), 10 * sizeof(unsigned), 16, cudaMemcpyDeviceToDevice, stream);
  cudaFreeAsync(copy, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(other);
  cudaEventDestroy(ready);
  cudaEventDestroy(done);
}
}  // namespace streams_and_events
