// A sparse matrix by rows times a vector, one warp a row.
// @output float 512
// @agreement rtol 1e-5 atol 1e-5
#include "../input.h"

namespace spmv {
__global__ void kernel(const unsigned* in, float* out, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  const int start = row * 100, length = int(in[row] % 101u);
  float sum = 0;
  for (int k = lane; k < length; k += warpSize) {
    const unsigned column = in[10000 + start + k] & 0xfffu;
    sum += symmetric(in[start + k]) * symmetric(__ldg(&in[60000 + column]));
  }
  for (int d = warpSize / 2; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) out[row] = sum;
}
static void run(const unsigned* in, float* out, cudaStream_t stream) { kernel<<<64, 256, 0, stream>>>(in, out, 512); }
}  // namespace spmv
