// __constant__ and __device__ variables, filled and read by symbol from the host.
// @output float 4098
// @agreement exact
#include "../input.h"

namespace symbols {
__constant__ float taps[9];
__constant__ int offset = 3;
__device__ unsigned calls = 0;
__device__ float table[16] = {1, 2, 3, 4, 5, 6, 7, 8};

__global__ void kernel(const unsigned* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum = __fadd_rn(sum, __fmul_rn(taps[k], float(in[(i + k + offset) % n] >> 28)));
  out[i] = __fadd_rn(sum, table[i & 15]);
  atomicAdd(&calls, 1u);
}
static void run(const unsigned* in, float* out, cudaStream_t stream) {
  float host[9];
  for (int k = 0; k < 9; ++k) host[k] = 0.25f * float(k + 1);
  cudaMemcpyToSymbolAsync(taps, host, sizeof host, 0, cudaMemcpyHostToDevice, stream);
  const int moved = 11;
  cudaMemcpyToSymbol(offset, &moved, sizeof moved);
  cudaMemcpyToSymbol(taps, &host[8], sizeof(float), 2 * sizeof(float));
  const unsigned none = 0;
  cudaMemcpyToSymbol(calls, &none, sizeof none);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, table);
  cudaMemcpyAsync(static_cast<float*>(address) + 8, address, 4 * sizeof(float), cudaMemcpyDeviceToDevice, stream);
  kernel<<<33, 128, 0, stream>>>(in, out, 4096);
  unsigned counted = 0;
  cudaStreamSynchronize(stream);
  cudaMemcpyFromSymbol(&counted, calls, sizeof counted);
  size_t bytes = 0;
  cudaGetSymbolSize(&bytes, table);
  const float last[2] = {float(counted), float(bytes)};
  cudaMemcpyAsync(out + 4096, last, sizeof last, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
}  // namespace symbols
