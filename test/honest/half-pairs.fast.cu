// Half precision in pairs.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void act(const half2* x, half2* y, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) y[i] = __hfma2(x[i], __float2half2_rn(0.5f), __float2half2_rn(1.f));
}
extern "C" void run(const half* x, half* y, int n, cudaStream_t stream) {
  act<<<(n / 2 + 255) / 256, 256, 0, stream>>>((const half2*)x, (half2*)y, n / 2);
}
