// Loads and stores of vector types, their makers, sizes and alignments.
// @output unsigned int 16416
// @agreement exact
#include "../input.h"

namespace vector_types {
template <class T>
__device__ unsigned shape() {
  return unsigned(sizeof(T) * 100 + alignof(T));
}
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const uint4 a = __ldg(reinterpret_cast<const uint4*>(in) + i);
  const double2 d = reinterpret_cast<const double2*>(in)[i];
  const short4 s = reinterpret_cast<const short4*>(in)[2 * i];
  const uchar4 c = reinterpret_cast<const uchar4*>(in)[i];
  const char3 t = reinterpret_cast<const char3*>(in)[i];
  const float3 f = reinterpret_cast<const float3*>(in)[i];
  reinterpret_cast<uint4*>(out)[i] = make_uint4(a.y, a.z, a.w, a.x);
  unsigned mixed = unsigned(s.x * 3 + s.y * 5 + s.z * 7 + s.w) ^ unsigned(c.x | c.y << 3 | c.z << 9 | c.w << 16);
  mixed += unsigned(t.x * 11 + t.y * 13 + t.z * 17) ^ float_bits(f.y) ^ unsigned(double_bits(d.y) >> 32);
  const longlong2 l = make_longlong2((long long)a.x << 20, -1);
  const int3 k = make_int3(int(a.x), int(a.y), 7);
  reinterpret_cast<uint2*>(out)[2 * n + i] = make_uint2(mixed, unsigned(l.x >> 10) + unsigned(k.y) + unsigned(k.z));
  __stcs(&out[6 * n + i], __ldcg(&in[i]) + __ldca(&in[i]) + __ldcs(&in[i]));
  out[7 * n + i] = make_ushort2((unsigned short)a.x, 3).x + make_float4(1, 2, 3, 4).w;
  if (i > 0) return;
  const unsigned shapes[24] = {
      shape<char1>(), shape<uchar2>(), shape<char3>(), shape<uchar4>(), shape<short2>(), shape<ushort3>(), shape<short4>(), shape<int2>(), shape<uint3>(),
      shape<int4>(), shape<float1>(), shape<float2>(), shape<float3>(), shape<float4>(), shape<longlong1>(), shape<longlong2>(), shape<ulonglong3>(), shape<double1>(),
      shape<double2>(), shape<double3>(), shape<dim3>(), shape<long2>(), shape<ulong3>(), shape<ushort1>(),
  };
  for (int m = 0; m < 24; ++m) out[8 * n + m] = shapes[m];
  for (int m = 24; m < 32; ++m) out[8 * n + m] = 0;
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<16, 128, 0, stream>>>(in, out); }
}  // namespace vector_types
