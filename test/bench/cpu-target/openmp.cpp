// The loops of kernels.cu written by hand for the processor.
#include <cmath>
#include <cstddef>

#include "cases.h"

static void saxpy(int n, float a, const float* x, float* y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

static void scale(int n, float a, const float* x, float* y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = a * x[i];
}

static void stencil(int width, int height, const float* in, float* out) {
#pragma omp parallel for
  for (int y = 1; y < height - 1; ++y) {
    for (int x = 1; x < width - 1; ++x) {
      const int i = y * width + x;
      out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]) - in[i];
    }
  }
}

static void gelu(int n, const float* x, float* y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const float v = x[i];
    y[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
}

static void softmax_row(int rows, int columns, const float* in, float* out) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const float* x = in + size_t(row) * columns;
    float* y = out + size_t(row) * columns;
    float largest = x[0];
    for (int i = 1; i < columns; ++i) largest = fmaxf(largest, x[i]);
    float sum = 0;
    for (int i = 0; i < columns; ++i) sum += y[i] = expf(x[i] - largest);
    for (int i = 0; i < columns; ++i) y[i] /= sum;
  }
}

static void gemm(int n, const float* a, const float* b, float* c) {
#pragma omp parallel for
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
      c[row * n + column] = sum;
    }
  }
}

static void mandelbrot(int width, int height, int limit, int* out) {
  // Rows differ in work by far.
#pragma omp parallel for schedule(dynamic)
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
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
  }
}

static void histogram(int n, const unsigned* x, unsigned* bins) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) __atomic_fetch_add(&bins[x[i] & 1023u], 1u, __ATOMIC_RELAXED);
}

CASE(saxpy) { saxpy(elements, 1.5f, b.x, b.y); }
CASE(scale) { scale(elements, 1.5f, b.x, b.y); }
CASE(stencil) { stencil(width, height, b.x, b.y); }
CASE(gelu) { gelu(elements / 8, b.x, b.y); }
CASE(softmax_row) { softmax_row(rows, columns, b.x, b.y); }
CASE(gemm) { gemm(order, b.x, b.z, b.y); }
CASE(mandelbrot) { mandelbrot(picture_width, picture_height, limit, reinterpret_cast<int*>(b.y)); }
CASE(histogram) { histogram(elements / 8, reinterpret_cast<const unsigned*>(b.x), reinterpret_cast<unsigned*>(b.y)); }
