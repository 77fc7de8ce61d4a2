// Accelerations of bodies that attract each other, positions passed on through shared memory.
// @output float 3072
// @agreement rtol 2e-5 atol 1e-4
#include "../input.h"

namespace nbody {
__device__ float4 body(const unsigned* in, int i) {
  return make_float4(symmetric(in[4 * i]), symmetric(in[4 * i + 1]), symmetric(in[4 * i + 2]), unit(in[4 * i + 3]));
}
__global__ void kernel(const unsigned* in, float* out, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 me = body(in, i);
  float3 a = make_float3(0, 0, 0);
  for (int start = 0; start < n; start += 128) {
    tile[threadIdx.x] = body(in, start + threadIdx.x);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 128; ++k) {
      const float4 b = tile[k];
      const float x = b.x - me.x, y = b.y - me.y, z = b.z - me.z;
      const float inverse = rsqrtf(x * x + y * y + z * z + 0.01f), s = b.w * inverse * inverse * inverse;
      a.x += x * s;
      a.y += y * s;
      a.z += z * s;
    }
    __syncthreads();
  }
  out[3 * i] = a.x * 0.01f;
  out[3 * i + 1] = a.y * 0.01f;
  out[3 * i + 2] = a.z * 0.01f;
}
static void run(const unsigned* in, float* out, cudaStream_t stream) { kernel<<<8, 128, 0, stream>>>(in, out, 1024); }
}  // namespace nbody
