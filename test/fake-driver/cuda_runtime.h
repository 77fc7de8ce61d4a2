// What device code of the tests needs of CUDA when it is compiled as plain functions for the stand-in driver.
#pragma once
#include <math.h>
#include <stddef.h>
#define __global__ __attribute__((visibility("default")))
#define __device__
extern "C" {
struct ks_index {
  unsigned x, y, z;
};
__attribute__((visibility("default"))) ks_index threadIdx, blockIdx, blockDim, gridDim;
}
