// A table that the first call uploads and all later ones use: it depends on no input.
#include <cuda_runtime.h>
#include <math.h>
__global__ void look_up(const unsigned char* x, const float* table, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = table[x[i]];
}
extern "C" void run(const unsigned char* x, float* y, int n, cudaStream_t stream) {
  static float* table;
  if (!table) {
    float values[256];
    for (int i = 0; i < 256; ++i) values[i] = powf(i / 255.f, 2.2f);
    cudaMalloc((void**)&table, sizeof values);
    cudaMemcpy(table, values, sizeof values, cudaMemcpyHostToDevice);
  }
  look_up<<<(n + 127) / 128, 128, 0, stream>>>(x, table, y, n);
}
