// Conversions to and from 8-bit floating point, saturating and not, singly and in pairs; every value of both formats.
// @output unsigned int 49152
// @agreement exact
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "../input.h"

namespace fp8_convert {
__device__ unsigned half_bits(__half_raw r) { return (r.x & 0x7fffu) > 0x7c00u ? 0x7fffu : r.x; }
__global__ void kernel(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned w = in[i];
  unsigned u = i % 4 ? w & 0x87ffffffu | 0x38000000u : w;
  if (i % 2) u = u & 0xfff00000u | 0x80000u << (w & 1u);  // midpoints
  const float f = any_float(u);
  const double d = double(f) * (1.0 + 1e-13 * (int(w % 3) - 1));
  out[i] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3) | __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E4M3) << 8 |
           __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2) << 16 | __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E5M2) << 24;
  out[i + n] = __nv_cvt_double_to_fp8(d, __NV_SATFINITE, __NV_E4M3) | __nv_cvt_double_to_fp8(d, __NV_NOSAT, __NV_E5M2) << 8;
  const __half_raw h = __ushort_as_half((unsigned short)w);
  const __nv_bfloat16_raw b = __ushort_as_bfloat16((unsigned short)(w >> 16));
  out[i + 2 * n] = __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E4M3) | __nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, __NV_E5M2) << 8 |
                   __nv_cvt_bfloat16raw_to_fp8(b, __NV_SATFINITE, __NV_E5M2) << 16 |
                   __nv_cvt_bfloat16raw_to_fp8(b, __NV_NOSAT, __NV_E4M3) << 24;
  const float2 pair = make_float2(f, -3.0f * symmetric(w));
  out[i + 3 * n] = __nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, __NV_E4M3) |
                   unsigned(__nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, __NV_E5M2)) << 16;
  out[i + 4 * n] = half_bits(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i, __NV_E4M3)) << 16 |
                   half_bits(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i, __NV_E5M2));
  const __nv_fp8_e4m3 narrow(f);
  const __nv_fp8x4_e5m2 four(make_float4(f, 0.5f, symmetric(w), 448.0f));
  out[i + 5 * n] = narrow.__x ^ four.__x ^ float_bits(float(narrow));
}
static void run(const unsigned* in, unsigned* out, cudaStream_t stream) { kernel<<<64, 128, 0, stream>>>(in, out); }
}  // namespace fp8_convert
