// Several static shared arrays, and dynamic shared memory cut into parts of different types.
// @output double 2048
// @agreement exact
#include "../input.h"

namespace shared_layout {
__global__ void kernel(const unsigned* in, double* out, int n) {
  extern __shared__ __align__(16) unsigned char bytes[];
  double* d = reinterpret_cast<double*>(bytes);
  float4* f = reinterpret_cast<float4*>(d + n);
  short* h = reinterpret_cast<short*>(f + n);
  __shared__ char flags[3];
  __shared__ double last;
  const int t = threadIdx.x, i = blockIdx.x * n + t;
  d[t] = double(in[i]);
  f[t] = make_float4(float(in[i] & 255u), 1, 2, 3);
  h[t] = short(in[i] >> 16);
  if (t < 3) flags[t] = char(t + blockIdx.x);
  if (t == n - 1) last = d[t];
  __syncthreads();
  const int r = n - 1 - t;
  out[i] = d[r] + double(f[r].x) * 4294967296.0 + double(h[r]) + double(flags[t % 3]) + last * 0.5;
}
static void run(const unsigned* in, double* out, cudaStream_t stream) {
  const int n = 128;
  kernel<<<16, n, n * (sizeof(double) + sizeof(float4) + sizeof(short)), stream>>>(in, out, n);
}
}  // namespace shared_layout
