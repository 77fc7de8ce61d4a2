// Connected components by labels that atomics lower until nothing changes, the host asking after each round.
// @output unsigned int 4096
// @agreement exact
#include "../input.h"

namespace components {
__global__ void start(unsigned* label) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  label[i] = unsigned(i);
}
__global__ void round(const unsigned* in, unsigned* label, int* changed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = in[i] % 4096u, b = in[i + 8192] % 4096u;
  const unsigned least = min(*(volatile unsigned*)&label[a], *(volatile unsigned*)&label[b]);
  if (atomicMin(&label[a], least) > least) *changed = 1;
  if (atomicMin(&label[b], least) > least) *changed = 1;
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  int* changed;
  cudaMallocAsync(&changed, sizeof *changed, stream);
  start<<<16, 256, 0, stream>>>(out);
  for (int again = 1; again;) {
    cudaMemsetAsync(changed, 0, sizeof *changed, stream);
    round<<<11, 192, 0, stream>>>(in, out, changed);
    cudaMemcpyAsync(&again, changed, sizeof again, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
  }
  cudaFreeAsync(changed, stream);
}
}  // namespace components
