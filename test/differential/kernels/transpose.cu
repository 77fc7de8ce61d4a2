// Transposition through padded tiles, of floats, of pairs and of bytes.
// @output unsigned int 12288
// @agreement exact
#include "../input.h"

namespace transpose {
template <class T>
__global__ void kernel(const T* in, T* out, int rows, int columns) {
  __shared__ T tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < columns && y + k < rows) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < rows && y + k < columns) out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}
template <class T>
void launch(const unsigned* in, unsigned* out, int rows, int columns, cudaStream_t stream) {
  const dim3 grid((columns + 31) / 32, (rows + 31) / 32), block(32, 8);
  kernel<T><<<grid, block, 0, stream>>>(reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), rows, columns);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  launch<unsigned>(in, out, 40, 100, stream);
  cudaMemcpyAsync(out + 4000, in, 96 * 4, cudaMemcpyDeviceToDevice, stream);
  launch<uint2>(in + 2, out + 4096, 64, 32, stream);
  launch<unsigned char>(in, out + 8192, 128, 128, stream);
}
}  // namespace transpose
