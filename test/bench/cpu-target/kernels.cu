// Kernels without barriers, as their authors write them. openmp.cpp has the same loops for the processor.
#include <cuda_runtime.h>

#include "cases.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void scale_grid_stride(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i];
}

__global__ void stencil(int width, int height, const float* in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]) - in[i];
}

__global__ void gelu(int n, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  y[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

__global__ void softmax_row(int rows, int columns, const float* x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += size_t(row) * columns;
  y += size_t(row) * columns;
  float largest = x[0];
  for (int i = 1; i < columns; ++i) largest = fmaxf(largest, x[i]);
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += y[i] = expf(x[i] - largest);
  for (int i = 0; i < columns; ++i) y[i] /= sum;
}

__global__ void gemm(int n, const float* a, const float* b, float* c) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void mandelbrot(int width, int height, int limit, int* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float cx = 3.0f * float(x) / float(width) - 2.0f, cy = 2.0f * float(y) / float(height) - 1.0f;
  float zx = 0, zy = 0;
  int i = 0;
  for (; i < limit && zx * zx + zy * zy < 4.0f; ++i) {
    const float t = zx * zx - zy * zy + cx;
    zy = 2.0f * zx * zy + cy;
    zx = t;
  }
  out[y * width + x] = i;
}

__global__ void histogram(int n, const unsigned* x, unsigned* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i] & 1023u], 1u);
}

static unsigned blocks(int n, int block) { return unsigned((n + block - 1) / block); }

CASE(saxpy) { saxpy<<<blocks(elements, 256), 256>>>(elements, 1.5f, b.x, b.y); }
CASE(scale) { scale_grid_stride<<<1024, 256>>>(elements, 1.5f, b.x, b.y); }
CASE(stencil) { stencil<<<dim3(blocks(width, 32), blocks(height, 8)), dim3(32, 8)>>>(width, height, b.x, b.y); }
CASE(gelu) { gelu<<<blocks(elements / 8, 256), 256>>>(elements / 8, b.x, b.y); }
CASE(softmax_row) { softmax_row<<<blocks(rows, 128), 128>>>(rows, columns, b.x, b.y); }
CASE(gemm) { gemm<<<dim3(blocks(order, 16), blocks(order, 16)), dim3(16, 16)>>>(order, b.x, b.z, b.y); }
CASE(mandelbrot) {
  const dim3 grid(blocks(picture_width, 32), blocks(picture_height, 8));
  mandelbrot<<<grid, dim3(32, 8)>>>(picture_width, picture_height, limit, reinterpret_cast<int*>(b.y));
}
CASE(histogram) {
  histogram<<<blocks(elements / 8, 256), 256>>>(elements / 8, reinterpret_cast<const unsigned*>(b.x),
                                                reinterpret_cast<unsigned*>(b.y));
}
