// SiLU in bfloat16 with the fast exponential and division.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
__global__ void silu(const __nv_bfloat16* x, __nv_bfloat16* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float v = __bfloat162float(x[i]);
    y[i] = __float2bfloat16(__fdividef(v, 1.f + __expf(-v)));
  }
}
extern "C" void run(const __nv_bfloat16* x, __nv_bfloat16* y, int n, cudaStream_t stream) {
  silu<<<8, 256, 0, stream>>>(x, y, n);
}
