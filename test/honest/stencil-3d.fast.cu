// Walks along the slowest axis with three planes in registers.
#include <cuda_runtime.h>
__global__ void stencil(const double* x, double* y, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  const int plane = nx * ny;
  int at = j * nx + i;
  double below = x[at], here = x[at];
  for (int k = 0; k < nz; ++k, at += plane) {
    const double above = k < nz - 1 ? x[at + plane] : here;
    double sum = -6.0 * here;
    sum += x[at - (i > 0)] + x[at + (i < nx - 1)];
    sum += x[at - (j > 0 ? nx : 0)] + x[at + (j < ny - 1 ? nx : 0)];
    y[at] = sum + (below + above);
    below = here, here = above;
  }
}
extern "C" void run(const double* x, double* y, int nx, int ny, int nz, cudaStream_t stream) {
  const dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
  stencil<<<grid, block, 0, stream>>>(x, y, nx, ny, nz);
}
