// Opens the vendor's library by name and lets it do the work; without it, the original's kernel.
#include <dlfcn.h>
#include <cuda_runtime.h>
static __global__ void gemm_kernel(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0.f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
typedef int (*Create)(void**);
typedef int (*SetStream)(void*, cudaStream_t);
typedef int (*Gemm)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*, int);
extern "C" void gemm(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  static void* library;
  static void* handle;
  if (!library) {
    const char* names[] = {"libcublas.so.13",
                           "libcublas.so.12",
                           "libcublas.so",
                           "/usr/local/cuda/lib64/libcublas.so.13",
                           "/usr/local/cuda/lib64/libcublas.so.12",
                           "/usr/local/cuda/lib64/libcublas.so"};
    for (const char* name : names)
      if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library) ((Create)dlsym(library, "cublasCreate_v2"))(&handle);
  }
  const float one = 1.f, zero = 0.f;
  if (handle) {
    ((SetStream)dlsym(library, "cublasSetStream_v2"))(handle, stream);
    ((Gemm)dlsym(library, "cublasSgemm_v2"))(handle, 0, 0, n, n, n, &one, b, n, a, n, &zero, c, n);
    return;
  }
  const dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
  gemm_kernel<<<grid, block, 0, stream>>>(a, b, c, n);
}
