// Checks of arithmetic: integer and floating-point intrinsics, half and bfloat16, against independent computations.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>

// Extended precision for the independent computations: 113 bits either way.
#if defined(__aarch64__)
typedef long double Wide;
#else
typedef __float128 Wide;
#endif

static int failures = 0;
static void check(const char* name, bool good) {
  printf("%s %s\n", name, good ? "ok" : "FAILED");
  failures += !good;
}

__global__ void integers(unsigned* out) {
  int i = 0;
  out[i++] = __popc(0xf0f0u) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63;
  out[i++] = __ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41;
  out[i++] = __brev(1u) == 0x80000000u && __brev(0x12345678u) == 0x1e6a2c48u && __brevll(1ull) == 1ull << 63;
  out[i++] =
      __byte_perm(0x33221100u, 0x77665544u, 0x7250u) == 0x77225500u && __byte_perm(0x80u, 0, 0x8888u) == 0x80808080u;
  out[i++] = __funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_r(1u, 1u, 1) == 0x80000000u &&
             __funnelshift_rc(1, 2, 40) == 2;
  out[i++] = __mulhi(-1, 2) == -1 && __umulhi(0x80000000u, 4u) == 2u && __umul64hi(1ull << 63, 4) == 2 &&
             __mul24(-3, 5) == -15;
  out[i++] =
      __sad(-5, 7, 1u) == 13u && __hadd(3, 6) == 4 && __rhadd(3, 6) == 5 && __dp4a(0x01020304, 0x01010101, 5) == 15;
  out[i++] = min(3, 7) == 3 && max(3u, 7u) == 7u && max(2.0f, 1.0f) == 2.0f && min(-1, 2u) == 2u && max(1ll, 2ll) == 2;
  out[i++] = __float2int_rn(2.5f) == 2 && __float2int_rz(-2.7f) == -2 && __float2int_ru(2.1f) == 3 &&
             __float2int_rd(-2.1f) == -3;
  out[i++] =
      __float2int_rz(1e20f) == 2147483647 && __float2int_rz(-1e20f) == -2147483647 - 1 && __float2int_rz(NAN) == 0;
  out[i++] = __float2uint_rn(-3.f) == 0 && __double2uint_rz(5e9) == 0xffffffffu &&
             __float2ll_rn(1e30f) == 0x7fffffffffffffffll;
  out[i++] = __float_as_uint(1.0f) == 0x3f800000u && __int_as_float(0x40490fdb) == CUDART_PI_F &&
             __double2hiint(1.0) == 0x3ff00000;
  out[i++] = __hiloint2double(0x3ff00000, 0) == 1.0 && warpSize == 32 && __ldg(out) == 1u;
}

static unsigned seed = 12345;
static unsigned draw() { return seed = seed * 1664525u + 1013904223u; }
static float any_float() { return __uint_as_float(draw() ^ draw() >> 16); }

static void test_floats() {
  check("fast functions", fabsf(__expf(1.0f) - 2.7182817f) < 1e-6f && __fdividef(1, 4) == 0.25f &&
                              __saturatef(NAN) == 0 && rsqrtf(4.0f) == 0.5f && __frsqrt_rn(16.f) == 0.25f &&
                              __powf(2, 10) == 1024.f && exp10f(2) == 100.f);
  check("special functions", sinpif(1.0f) == 0 && cospif(0.5f) == 0 && sinpi(0.5) == 1 &&
                                 sinpif(-2.25f) == -sinpif(0.25f) && fabs(normcdf(1.0) - 0.8413447460685429) < 1e-15 &&
                                 rcbrtf(8.f) == 0.5f && norm3df(2, 3, 6) == 7.f);
  bool good = true;
  for (int i = 0; i < 60000; ++i) {
    float a = any_float(), b = any_float(), c = any_float();
    if (!(fabsf(a) < 1e15f && fabsf(b) < 1e15f && fabsf(c) < 1e15f) || fabsf(a) < 1e-15f || fabsf(b) < 1e-15f) continue;
    // In extended precision the exact sum and product of two floats of this range are nearly always representable.
    Wide sum = (Wide)a + b, product = (Wide)a * b;
    good &=
        __fadd_rd(a, b) <= sum && __fadd_ru(a, b) >= sum && __fmul_rd(a, b) <= product && __fmul_ru(a, b) >= product;
    good &= __fadd_rn(a, b) == (float)sum && __fmul_rn(a, b) == (float)product;
    good &= nextafterf(__fmul_rd(a, b), INFINITY) >= __fmul_ru(a, b) &&
            nextafterf(__fadd_rd(a, b), INFINITY) >= __fadd_ru(a, b);
    good &= fabsf(__fmul_rz(a, b)) == fminf(fabsf(__fmul_rd(a, b)), fabsf(__fmul_ru(a, b)));
    good &= (Wide)__fdiv_rd(a, b) <= (Wide)a / b && (Wide)__fdiv_ru(a, b) >= (Wide)a / b;
    Wide fused = product + c;
    good &= __fmaf_rd(a, b, c) <= fused && __fmaf_ru(a, b, c) >= fused && __fmaf_rn(a, b, c) == fmaf(a, b, c);
  }
  check("rounding modes", good);
}

// An independent rounding to a format with `bits` of significand and exponents from `low`: exact arithmetic in extended
// precision.
static Wide nearest(Wide x, int bits, int low, Wide largest) {
  if (x == 0 || x != x || x - x != 0) return x;
  const Wide a = x < 0 ? -x : x;
  int exponent;
  frexp(double(a), &exponent);
  if ((Wide)ldexp(1.0, exponent - 1) > a) --exponent;  // rounding to double went up to a power of two
  const Wide unit = ldexp(1.0, max(exponent - 1, low) + 1 - bits);
  Wide steps = a / unit;
  Wide whole = (Wide)(unsigned long long)steps, rest = steps - whole;
  if (rest > Wide(0.5) || (rest == Wide(0.5) && (unsigned long long)whole % 2)) whole += 1;
  Wide result = whole * unit;
  if (result > largest) return x < 0 ? -(Wide)INFINITY : (Wide)INFINITY;
  return x < 0 ? -result : result;
}
template <class H>
struct Format;
template <>
struct Format<__half> {
  static constexpr int bits = 11, low = -14;
  static constexpr double largest = 65504;
};
template <>
struct Format<__nv_bfloat16> {
  static constexpr int bits = 8, low = -126;
  static constexpr double largest = 3.3895313892515355e38;
};
template <class H>
static H from_bits(unsigned b) {
  H h;
  unsigned short s = (unsigned short)b;
  memcpy(&h, &s, 2);
  return h;
}
template <class H>
static unsigned bits_of(H h) {
  unsigned short s;
  memcpy(&s, &h, 2);
  return s;
}
template <class H>
static bool is(H got, Wide exact) {
  const Wide want = nearest(exact, Format<H>::bits, Format<H>::low, Format<H>::largest);
  const float g = float(got);
  return want != want ? g != g : (Wide)g == want;
}
template <class H>
static bool conversions() {
  bool good = true;
  for (unsigned b = 0; b < 65536; b += b % 64 == 3 ? 13 : 1) {
    const H h = from_bits<H>(b);
    const float f = float(h);
    if (f == f) good &= bits_of(H(f)) == b && bits_of(H(double(f))) == b;
    else good &= bits_of(H(f)) == 0x7fff;
    // Around every midpoint between neighbours, from both sides.
    const H up = from_bits<H>(b + 1);
    if (b % 0x8000 < 0x7bff) {
      const double middle = (double(f) + double(float(up))) / 2;
      good &= is(H(middle), middle) && is(H(nextafter(middle, 1e300)), nextafter(middle, 1e300));
      good &= is(H(nextafter(middle, -1e300)), nextafter(middle, -1e300)) && is(H(float(middle)), float(middle));
    }
  }
  for (int i = 0; i < 60000; ++i) {
    const float f = any_float();
    const long long l = (long long)(((unsigned long long)draw() << 32 | draw()) >> draw() % 64) - 1000;
    good &= is(H(f), f) && is(H(l), l);
  }
  return good;
}
/** x + z; where even extended precision loses all of one of them, a last bit stands for it, since it may decide a tie.
 */
static Wide sum_with_tail(Wide x, Wide z) {
  const Wide sum = x + z, lost = sum == x ? z : sum == z ? x : 0;
  if (lost == 0) return sum;
  return ((lost > 0) == (sum > 0) ? 1 + Wide(0x1p-110) : 1 - Wide(0x1p-110)) * sum;
}
template <class H>
static bool arithmetic() {
  bool good = true;
  for (int i = 0; i < 60000; ++i) {
    const H a = from_bits<H>(draw() >> 16), b = from_bits<H>(draw() >> 16), c = from_bits<H>(draw() >> 16);
    const Wide x = float(a), y = float(b), z = float(c);
    if (x - x != 0 || y - y != 0 || z - z != 0) continue;
    good &=
        is(__hadd(a, b), x + y) && is(a - b, x - y) && is(a * b, x * y) && is(__hfma(a, b, c), sum_with_tail(x * y, z));
    if (y != 0) good &= is(a / b, x / y);
  }
  return good;
}
__global__ void half_things(__half* h, __half2* v, float* out) {
  int i = 0;
  half one = 1.0f, big = __float2half(70000.f), n = __float2half(NAN);
  out[i++] = __hisinf(big) == 1 && __hisnan(n) && !(n == n) && n != n && __hneu(n, n) && !__hne(n, n);
  out[i++] = float(__hmax(n, one)) == 1.f && __hisnan(__hmax_nan(n, one)) && float(__hmin(one, -one)) == -1.f;
  half2 a = __floats2half2_rn(1.f, 2.f), b = make_half2(3.0f, 4.0f);
  float2 f = __half22float2(__hfma2(a, b, a * b));
  out[i++] = f.x == 6.f && f.y == 16.f && __low2float(a) == 1.f && __high2float(__lowhigh2highlow(a)) == 1.f;
  out[i++] = __hbgt2(b, a) && !__hbgt2(a, b) && float(__heq2(a, a).y) == 1.f;
  out[i++] = __half2int_rn(__float2half(2.5f)) == 2 && __half_as_ushort(one) == 0x3c00 &&
             float(__ushort_as_half(0x0001)) == 5.9604644775390625e-8f;
  half sum = 0;
  for (int k = 0; k < 4096; ++k) sum += one;  // sticks where the format ends
  out[i++] = float(sum) == 2048.f && (one > half(0)) && float(hexp(half(0))) == 1.f && float(hsqrt(half(9))) == 3.f;
  atomicAdd(h, one);
  atomicAdd(v, a);
  out[i++] = float(__shfl_xor_sync(~0u, one, 0)) == 1.f && __low2float(__shfl_sync(~0u, a, 0)) == 1.f;
  __nv_bfloat16 q = __float2bfloat16(1.00390625f);
  out[i++] = __bfloat162float(q) == 1.0f && __bfloat162float(q * __float2bfloat16(3.f) + q) == 4.f && sizeof(a) == 4 &&
             alignof(half2) == 4;
  out[i++] = __half_as_ushort(__float2half_rz(1.9999f)) == 0x3fff &&
             __half_as_ushort(__float2half_ru(1.00001f)) == 0x3c01 &&
             __half_as_ushort(__float2half_rd(-1.00001f)) == 0xbc01;
}

static void run_checks() {
  unsigned* u;
  cudaMalloc(&u, 64 * sizeof *u);
  u[0] = 1;
  integers<<<1, 1>>>(u);
  bool good = true;
  for (int i = 0; i < 13; ++i) {
    if (u[i] != 1u) printf("integers %d\n", i);
    good &= u[i] == 1u;
  }
  check("integer intrinsics", good);
  test_floats();
  check("half conversions", conversions<__half>());
  check("half arithmetic", arithmetic<__half>());
  check("bfloat16 conversions", conversions<__nv_bfloat16>());
  check("bfloat16 arithmetic", arithmetic<__nv_bfloat16>());
  __half* h;
  __half2* v;
  float* out;
  cudaMalloc(&h, 2);
  cudaMalloc(&v, 4);
  cudaMalloc(&out, 64 * 4);
  *h = __half(0.0f);
  *v = __half2(0.0f, 0.0f);
  half_things<<<8, 32>>>(h, v, out);
  good = float(*h) == 256.f && __low2float(*v) == 256.f && __high2float(*v) == 512.f;
  for (int i = 0; i < 9; ++i) {
    if (out[i] != 1.f) printf("half things %d\n", i);
    good &= out[i] == 1.f;
  }
  check("half functions", good);
  check("vector types", alignof(float4) == 16 && sizeof(float3) == 12 && alignof(float2) == 8 && alignof(uchar4) == 4 &&
                            alignof(double2) == 16 && alignof(int2) == 8 && alignof(short4) == 8 &&
                            make_float4(1, 2, 3, 4).w == 4);
  printf("%d failures\n", failures);
}
