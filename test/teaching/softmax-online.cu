// Online softmax: running maximum and sum in one pass, a block for each row; templated over the type and the block.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <typename T, int BLOCK>
__global__ void softmax_kernel(const T* __restrict__ x, T* __restrict__ y, int rows, int cols) {
  __shared__ float ms[BLOCK], ss[BLOCK];
  const int row = blockIdx.x;
  const T* xr = x + (size_t)row * cols;
  T* yr = y + (size_t)row * cols;
  float m = -1e30f, s = 0.f;
  for (int c = threadIdx.x; c < cols; c += BLOCK) {
    float v = (float)xr[c];
    float next = fmaxf(m, v);
    s = s * __expf(m - next) + __expf(v - next);
    m = next;
  }
  ms[threadIdx.x] = m;
  ss[threadIdx.x] = s;
  __syncthreads();
  for (int k = BLOCK / 2; k > 0; k >>= 1) {
    if (threadIdx.x < k) {
      float a = ms[threadIdx.x], b = ms[threadIdx.x + k], top = fmaxf(a, b);
      ss[threadIdx.x] = ss[threadIdx.x] * __expf(a - top) + ss[threadIdx.x + k] * __expf(b - top);
      ms[threadIdx.x] = top;
    }
    __syncthreads();
  }
  for (int c = threadIdx.x; c < cols; c += BLOCK) yr[c] = (T)(__expf((float)xr[c] - ms[0]) / ss[0]);
}

template <typename T>
void softmax(const T* x, T* y, int rows, int cols, cudaStream_t stream) {
  softmax_kernel<T, 256><<<rows, 256, 0, stream>>>(x, y, rows, cols);
}

template void softmax<float>(const float*, float*, int, int, cudaStream_t);
