// Seven points in three dimensions and double precision, on a grid of three dimensions.
#include <cuda_runtime.h>
__global__ void stencil(const double* x, double* y, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  const int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= nx || j >= ny || k >= nz) return;
  const int at = (k * ny + j) * nx + i;
  double sum = -6.0 * x[at];
  sum += x[at - (i > 0)] + x[at + (i < nx - 1)];
  sum += x[at - (j > 0 ? nx : 0)] + x[at + (j < ny - 1 ? nx : 0)];
  sum += x[at - (k > 0 ? nx * ny : 0)] + x[at + (k < nz - 1 ? nx * ny : 0)];
  y[at] = sum;
}
extern "C" void run(const double* x, double* y, int nx, int ny, int nz, cudaStream_t stream) {
  const dim3 block(8, 4, 4), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 3) / 4);
  stencil<<<grid, block, 0, stream>>>(x, y, nx, ny, nz);
}
