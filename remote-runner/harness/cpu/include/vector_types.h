// CUDA's vector types with CUDA's sizes and alignments, and dim3.
#ifndef KS_VECTOR_TYPES_H
#define KS_VECTOR_TYPES_H

#define KS_VECTORS(NAME, T, ALIGN2, ALIGN4)         \
  struct NAME##1 {                                  \
    T x;                                            \
  };                                                \
  struct __attribute__((aligned(ALIGN2))) NAME##2 { \
    T x, y;                                         \
  };                                                \
  struct NAME##3 {                                  \
    T x, y, z;                                      \
  };                                                \
  struct __attribute__((aligned(ALIGN4))) NAME##4 { \
    T x, y, z, w;                                   \
  };

KS_VECTORS(char, signed char, 2, 4)
KS_VECTORS(uchar, unsigned char, 2, 4)
KS_VECTORS(short, short, 4, 8)
KS_VECTORS(ushort, unsigned short, 4, 8)
KS_VECTORS(int, int, 8, 16)
KS_VECTORS(uint, unsigned int, 8, 16)
KS_VECTORS(long, long, 16, 16)
KS_VECTORS(ulong, unsigned long, 16, 16)
KS_VECTORS(longlong, long long, 16, 16)
KS_VECTORS(ulonglong, unsigned long long, 16, 16)
KS_VECTORS(float, float, 8, 16)
KS_VECTORS(double, double, 16, 16)
#undef KS_VECTORS
// Vectors of four 64-bit parts by the name of their alignment.
#define KS_WIDE_VECTOR(NAME, T)                   \
  struct __attribute__((aligned(16))) NAME##_16a { \
    T x, y, z, w;                                 \
  };                                              \
  struct __attribute__((aligned(32))) NAME##_32a { \
    T x, y, z, w;                                 \
  };
KS_WIDE_VECTOR(long4, long)
KS_WIDE_VECTOR(ulong4, unsigned long)
KS_WIDE_VECTOR(longlong4, long long)
KS_WIDE_VECTOR(ulonglong4, unsigned long long)
KS_WIDE_VECTOR(double4, double)
#undef KS_WIDE_VECTOR

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

#endif
