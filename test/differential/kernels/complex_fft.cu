// A Fourier transform of 256 points in shared memory, complex numbers as float2.
// @output float 8192
// @agreement rtol 1e-4 atol 1e-4
#include "../input.h"

namespace complex_fft {
__global__ void kernel(const unsigned* in, float2* out) {
  __shared__ float2 s[256];
  const int t = threadIdx.x;
  for (int k = t; k < 256; k += 128) {
    const int from = int(__brev(unsigned(k)) >> 24);
    s[k] = make_float2(symmetric(in[blockIdx.x * 512 + 2 * from]), symmetric(in[blockIdx.x * 512 + 2 * from + 1]));
  }
  for (int half = 1; half < 256; half *= 2) {
    __syncthreads();
    const int k = t % half, low = (t / half) * 2 * half + k;
    float sine, cosine;
    sincospif(-float(k) / float(half), &sine, &cosine);
    const float2 a = s[low], b = s[low + half];
    const float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
    s[low] = make_float2(a.x + turned.x, a.y + turned.y);
    s[low + half] = make_float2(a.x - turned.x, a.y - turned.y);
  }
  __syncthreads();
  for (int k = t; k < 256; k += 128) out[blockIdx.x * 256 + k] = s[k];
}
static void run(const unsigned* in, float* out, cudaStream_t stream) {
  kernel<<<16, 128, 0, stream>>>(in, reinterpret_cast<float2*>(out));
}
}  // namespace complex_fft
