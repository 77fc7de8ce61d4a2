// Shared by courses.cu, as course repositories do it: helpers in a header of their own, a launch among them.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call)                                                              \
  do {                                                                                \
    cudaError_t status = (call);                                                      \
    if (status != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

template <class T>
__host__ __device__ inline T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}

template <class T>
struct Max {
  __device__ __forceinline__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T>
struct Sum {
  __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};

template <class T, class Op>
__device__ __forceinline__ T warp_reduce(T v, Op op) {
#pragma unroll
  for (int d = warpSize / 2; d > 0; d >>= 1) v = op(v, __shfl_xor_sync(0xffffffff, v, d));
  return v;
}
template <class T, class Op>
__device__ T block_reduce(T v, Op op, T neutral) {
  static __shared__ T shared[32];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  v = warp_reduce(v, op);
  if (lane == 0) shared[warp] = v;
  __syncthreads();
  v = threadIdx.x < ceil_div(blockDim.x, 32u) ? shared[lane] : neutral;
  v = warp_reduce(v, op);
  if (threadIdx.x == 0) shared[0] = v;
  __syncthreads();
  v = shared[0];
  __syncthreads();
  return v;
}

template <class T>
__global__ void fill_kernel(T* p, T value, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    p[i] = value;
}
template <class T>
void fill(T* p, T value, size_t n) {
  fill_kernel<T><<<ceil_div<size_t>(n, 256), 256>>>(p, value, n);
  CUDA_CHECK(cudaGetLastError());
}
