// A cellular automaton on bits, thirty-two cells a word, in several launches.
// @output unsigned int 2048
// @agreement exact
#include "../input.h"

namespace game_of_life {
constexpr int columns = 8, rows = 256;
__global__ void step(const unsigned* __restrict__ from, unsigned* __restrict__ to) {
  const int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
  unsigned low = 0, high = 0, more = 0;
  auto add = [&](unsigned b) {
    const unsigned carry = low & b;
    low ^= b;
    more |= high & carry;
    high ^= carry;
  };
  for (int dy = -1; dy <= 1; ++dy) {
    const unsigned* row = from + ((y + dy + rows) % rows) * columns;
    const unsigned left = __ldg(&row[(x + columns - 1) % columns]), self = __ldg(&row[x]), right = __ldg(&row[(x + 1) % columns]);
    add(__funnelshift_l(left, self, 1));
    if (dy != 0) add(self);
    add(__funnelshift_r(self, right, 1));
  }
  const unsigned alive = from[y * columns + x];
  to[y * columns + x] = ~more & high & (low | alive);
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) {
  unsigned* other;
  cudaMallocAsync(&other, rows * columns * sizeof(unsigned), stream);
  const dim3 block(columns, 16);
  step<<<rows / 16, block, 0, stream>>>(in, other);
  for (int k = 0; k < 10; ++k) {
    step<<<rows / 16, block, 0, stream>>>(other, out);
    step<<<rows / 16, block, 0, stream>>>(out, other);
  }
  step<<<rows / 16, block, 0, stream>>>(other, out);
  cudaFreeAsync(other, stream);
}
}  // namespace game_of_life
