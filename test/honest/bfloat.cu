// SiLU in bfloat16.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
__global__ void silu(const __nv_bfloat16* x, __nv_bfloat16* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = __bfloat162float(x[i]);
  y[i] = __float2bfloat16(v / (1.f + expf(-v)));
}
extern "C" void run(const __nv_bfloat16* x, __nv_bfloat16* y, int n, cudaStream_t stream) {
  silu<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}
