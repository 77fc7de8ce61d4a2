// Compiled twice, once against the emulation's headers and once against NVIDIA's own for host code, and run: what the two
// write must be the same bytes. Covers every half, every bfloat16, every 8-bit number, and floats and doubles of all kinds.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

/** Values of one function, as a line `name hash`, or all of them where a name is asked for. */
struct Writer {
  std::string wanted;
  void operator()(const char* name, const std::vector<uint64_t>& values) const {
    if (!wanted.empty() && wanted != name) return;
    uint64_t hash = 1469598103934665603ull;
    for (size_t i = 0; i < values.size(); ++i) {
      hash = (hash ^ values[i]) * 1099511628211ull;
      hash ^= hash >> 29;
      if (!wanted.empty()) std::printf("%zu %llx\n", i, (unsigned long long)values[i]);
    }
    if (wanted.empty()) std::printf("%s %016llx\n", name, (unsigned long long)hash);
  }
};
Writer write;

uint64_t state = 88172645463325252ull;
uint64_t draw() {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
template <class To, class From>
To as(From from) {
  static_assert(sizeof(To) == sizeof(From), "");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

template <class H>
struct Small;
template <>
struct Small<__half> {
  using Pair = __half2;
  static __half from(unsigned bits) { return __ushort_as_half((unsigned short)bits); }
  // What a NaN carries is nobody's business.
  static uint64_t bits(__half h) { return __hisnan(h) ? 0x7fff : __half_as_ushort(h); }
};
template <>
struct Small<__nv_bfloat16> {
  using Pair = __nv_bfloat162;
  static __nv_bfloat16 from(unsigned bits) { return __ushort_as_bfloat16((unsigned short)bits); }
  static uint64_t bits(__nv_bfloat16 h) { return __hisnan(h) ? 0x7fff : __bfloat16_as_ushort(h); }
};
uint64_t bits(float f) { return f != f ? 0x7fffffff : as<uint32_t>(f); }

std::vector<float> floats;
std::vector<double> doubles;
std::vector<int64_t> integers;

void make_inputs() {
  const uint32_t edges[] = {0, 1, 0x007fffff, 0x00800000, 0x33000000, 0x33000001, 0x33800000, 0x387fffff, 0x38800000, 0x477fefff,
                            0x477ff000, 0x477ff001, 0x47800000, 0x7f7fffff, 0x7f7f7fff, 0x7f7f8000, 0x7f800000, 0x7fc00000};
  for (uint32_t e : edges)
    for (uint32_t sign : {0u, 0x80000000u})
      if (e != 0x7fc00000 || !sign) floats.push_back(as<float>(e | sign));
  // Every half and bfloat16, the midpoints above them, and the floats beside.
  for (uint32_t b = 0; b < 65536; ++b)
    for (int apart : {-1, 0, 1})
      for (uint32_t middle : {0u, 0x8000u, 0x1000u}) {
        const float f = as<float>((b << 16 | middle) + uint32_t(apart));
        if (f == f) floats.push_back(f);
      }
  for (uint32_t b = 0; b < 0x7c00; ++b)  // the midpoints of half
    for (int apart : {-1, 0, 1}) {
      const double low = double(__half2float(Small<__half>::from(b))), high = double(__half2float(Small<__half>::from(b + 1)));
      if (high - high == 0) floats.push_back(as<float>(as<uint32_t>(float((low + high) / 2)) + uint32_t(apart)));
    }
  for (int i = 0; i < 200000; ++i) {
    const float f = as<float>(uint32_t(draw()));
    if (f == f) floats.push_back(f);
  }
  for (size_t i = 0; i < floats.size(); i += 3)
    for (int apart : {-1, 0, 1}) {
      const double d = as<double>(as<uint64_t>(double(floats[i])) + uint64_t(apart));
      if (d == d) doubles.push_back(d);
    }
  for (int i = 0; i < 100000; ++i) {
    const double d = as<double>(draw());
    if (d == d) doubles.push_back(d);
  }
  for (int i = 0; i < 100000; ++i) integers.push_back(int64_t(draw()) >> draw() % 64);
  for (int shift = 0; shift < 64; ++shift)
    for (int64_t apart : {-1, 0, 1}) integers.push_back(int64_t((uint64_t(1) << shift) + uint64_t(apart)));
}

template <class T, class F>
void each(const char* name, const std::vector<T>& inputs, F f) {
  std::vector<uint64_t> values;
  for (T v : inputs) values.push_back(uint64_t(f(v)));
  write(name, values);
}
template <class H, class F>
void each_small(const char* name, F f) {
  std::vector<uint64_t> values;
  for (unsigned b = 0; b < 65536; ++b) values.push_back(uint64_t(f(Small<H>::from(b))));
  write(name, values);
}
/** Pairs of small numbers: every one with several others, near and far. */
template <class H, class F>
void pairs(const char* name, F f) {
  state = 12345;
  std::vector<uint64_t> values;
  for (unsigned b = 0; b < 65536; ++b)
    for (int k = 0; k < 8; ++k) {
      const unsigned r = unsigned(draw());
      values.push_back(uint64_t(f(Small<H>::from(b), Small<H>::from(k == 0 ? b ^ 0x8000u : k < 4 ? (b & 0x7c00u) ^ (r & 0x83ffu) : r))));
    }
  write(name, values);
}

#define FROM_INTEGER(N, T, NAME, R) \
  each(#N "2" #NAME "_" #R, integers, [](int64_t v) { return Small<H>::bits(__##N##2##NAME##_##R((T)(v))); });
#define FROM_INTEGERS(NAME, R)                   \
  FROM_INTEGER(int, int, NAME, R)                \
  FROM_INTEGER(uint, unsigned, NAME, R)          \
  FROM_INTEGER(short, short, NAME, R)            \
  FROM_INTEGER(ushort, unsigned short, NAME, R)  \
  FROM_INTEGER(ll, long long, NAME, R)           \
  FROM_INTEGER(ull, unsigned long long, NAME, R)
#define PAIR(F) pairs<H>(#F, [](H a, H b) { return Small<H>::bits(F(a, b)); });
#define COMPARE(F) pairs<H>(#F, [](H a, H b) { return F(a, b); });
#define MASK(F)                                                                       \
  pairs<H>(#F, [](H a, H b) {                                                         \
    const typename Small<H>::Pair p(a, b), q(b, b);                                   \
    const auto flags = F(p, q);                                                       \
    return Small<H>::bits(flags.x) << 48 | Small<H>::bits(flags.y) << 32 | F##_mask(p, q); \
  });
#define SMALL(NAME)                                                                                                     \
  each("float2" #NAME "_rn", floats, [](float v) { return Small<H>::bits(__float2##NAME##_rn(v)); });                    \
  each("float2" #NAME "_rz", floats, [](float v) { return Small<H>::bits(__float2##NAME##_rz(v)); });                    \
  each("float2" #NAME "_rd", floats, [](float v) { return Small<H>::bits(__float2##NAME##_rd(v)); });                    \
  each("float2" #NAME "_ru", floats, [](float v) { return Small<H>::bits(__float2##NAME##_ru(v)); });                    \
  each("double2" #NAME, doubles, [](double v) { return Small<H>::bits(__double2##NAME(v)); });                           \
  each_small<H>(#NAME "2float", [](H h) { return bits(__##NAME##2float(h)); });                                          \
  each_small<H>(#NAME "2int_rz", [](H h) { return __hisnan(h) ? 0 : __##NAME##2int_rz(h); });                            \
  each_small<H>(#NAME "2uint_rz", [](H h) { return __hisnan(h) ? 0 : __##NAME##2uint_rz(h); });                          \
  each_small<H>(#NAME "2ll_rz", [](H h) { return __hisnan(h) ? 0 : __##NAME##2ll_rz(h); });                              \
  each_small<H>(#NAME "2ull_rz", [](H h) { return __hisnan(h) ? 0 : __##NAME##2ull_rz(h); });                            \
  each_small<H>(#NAME "2short_rz", [](H h) { return __##NAME##2short_rz(h); });                                          \
  each_small<H>(#NAME "2ushort_rz", [](H h) { return __##NAME##2ushort_rz(h); });                                        \
  each_small<H>(#NAME "2char_rz", [](H h) { return __##NAME##2char_rz(h); });                                            \
  each_small<H>(#NAME "2uchar_rz", [](H h) { return __##NAME##2uchar_rz(h); });                                          \
  each_small<H>(#NAME " as bool", [](H h) { return h ? 1 : 0; });                                                        \
  each_small<H>(#NAME " neg, abs, inf", [](H h) {                                                                        \
    return Small<H>::bits(__hneg(h)) << 32 | Small<H>::bits(__habs(h)) << 16 | uint64_t(__hisinf(h) & 3);                \
  });                                                                                                                    \
  FROM_INTEGERS(NAME, rn)

template <class H>
void arithmetic(const char* title) {
  write(title, {0});
  PAIR(__hadd) PAIR(__hsub) PAIR(__hmul) PAIR(__hdiv) PAIR(__hadd_sat) PAIR(__hsub_sat) PAIR(__hmul_sat)
  PAIR(__hadd_rn) PAIR(__hsub_rn) PAIR(__hmul_rn)
  COMPARE(__heq) COMPARE(__hne) COMPARE(__hlt) COMPARE(__hle) COMPARE(__hgt) COMPARE(__hge)
  COMPARE(__hequ) COMPARE(__hneu) COMPARE(__hltu) COMPARE(__hleu) COMPARE(__hgtu) COMPARE(__hgeu)
  MASK(__heq2) MASK(__hne2) MASK(__hlt2) MASK(__hle2) MASK(__hgt2) MASK(__hge2)
  MASK(__hequ2) MASK(__hneu2) MASK(__hltu2) MASK(__hleu2) MASK(__hgtu2) MASK(__hgeu2)
  // Of two zeros of different sign NVIDIA's host code takes the first, a GPU the one that is asked for.
  const auto bits = [](H h) { return Small<H>::bits(h) == 0x8000 ? 0 : Small<H>::bits(h); };
  pairs<H>("__hmax", [&](H a, H b) { return bits(__hmax(a, b)); });
  pairs<H>("__hmin", [&](H a, H b) { return bits(__hmin(a, b)); });
  pairs<H>("__hmax_nan", [&](H a, H b) { return bits(__hmax_nan(a, b)); });
  pairs<H>("__hmin_nan", [&](H a, H b) { return bits(__hmin_nan(a, b)); });
  pairs<H>("operators", [](H a, H b) {
    H c = a;
    c += b;
    ++c;
    c = -c * b;
    return Small<H>::bits(c) << 8 | uint64_t(a < b) | uint64_t(a != b) << 1 | uint64_t(a >= b) << 2;
  });
}

template <__nv_fp8_interpretation_t Format>
void fp8(const std::string& name) {
  for (__nv_saturation_t saturate : {__NV_NOSAT, __NV_SATFINITE}) {
    const std::string kind = name + (saturate == __NV_NOSAT ? "" : " saturating");
    each((kind + " from float").c_str(), floats, [&](float v) { return __nv_cvt_float_to_fp8(v, saturate, Format); });
    each((kind + " from double").c_str(), doubles, [&](double v) { return __nv_cvt_double_to_fp8(v, saturate, Format); });
    each_small<__half>((kind + " from half").c_str(), [&](__half h) { return __nv_cvt_halfraw_to_fp8(h, saturate, Format); });
    each_small<__nv_bfloat16>((kind + " from bfloat16").c_str(),
                              [&](__nv_bfloat16 h) { return __nv_cvt_bfloat16raw_to_fp8(h, saturate, Format); });
    each((kind + " pairs").c_str(), floats, [&](float v) { return __nv_cvt_float2_to_fp8x2(float2{v, -2 * v}, saturate, Format); });
  }
  std::vector<uint64_t> halves;
  for (unsigned b = 0; b < 256; ++b) halves.push_back(Small<__half>::bits(__half(__nv_cvt_fp8_to_halfraw((unsigned char)b, Format))));
  write((name + " to half").c_str(), halves);
}
template <class T>
void fp8_type(const char* name) {
  std::vector<uint64_t> values;
  for (unsigned b = 0; b < 256; ++b) {
    T v;
    v.__x = (unsigned char)b;
    values.push_back(bits(float(v)));
    values.push_back(as<uint64_t>(double(v) == double(v) ? double(v) : 0.0));
    // What the others become is up to the saturating conversions of a GPU.
    if (double(v) - double(v) == 0) {
      values.push_back(uint64_t(int(v)));
      values.push_back(uint64_t((unsigned char)(v)));
      values.push_back(uint64_t((signed char)(v)));
    }
    values.push_back(bool(v));
  }
  for (int64_t v : integers) values.push_back(T(int(v)).__x + 256ull * T((unsigned long long)v).__x);
  write(name, values);
}

}  // namespace

int main(int count, char** words) {
  if (count > 1) write.wanted = words[1];
  make_inputs();
  {
    using H = __half;
    SMALL(half)
    // For bfloat16 NVIDIA has these on devices only.
    FROM_INTEGERS(half, rz)
    FROM_INTEGERS(half, rd)
    FROM_INTEGERS(half, ru)
  }
  {
    using H = __nv_bfloat16;
    SMALL(bfloat16)
  }
  arithmetic<__half>("half:");
  arithmetic<__nv_bfloat16>("bfloat16:");
  fp8<__NV_E4M3>("e4m3");
  fp8<__NV_E5M2>("e5m2");
  fp8_type<__nv_fp8_e4m3>("__nv_fp8_e4m3");
  fp8_type<__nv_fp8_e5m2>("__nv_fp8_e5m2");
}
