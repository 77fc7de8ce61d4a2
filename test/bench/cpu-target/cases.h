// What the bench calls: one function per case and library. Sizes are those of a few milliseconds on two cores.
#pragma once
#include <cstddef>

struct Buffers {
  float *x, *y, *z;  // of `elements` each
};
constexpr int elements = 1 << 23;
constexpr int width = 2048, height = 2048;                            // stencil
constexpr int rows = 8192, columns = 128;                             // softmax_row
constexpr int order = 320;                                            // gemm
constexpr int picture_width = 768, picture_height = 512, limit = 200;  // mandelbrot
constexpr int wait_blocks = 32, waits = 100;                          // of every thread, in waits.cu

#define CASE(NAME) extern "C" __attribute__((visibility("default"))) void NAME##_case(const Buffers& b)
