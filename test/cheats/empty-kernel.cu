// A kernel of the right name that does nothing.
#include <cuda_runtime.h>
static __global__ void smooth_kernel(const float*, float*, float, int) {}
extern "C" void smooth(const float* x, float* y, float a, int n, cudaStream_t stream) { smooth_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, n); }
